# Duet as one static binary in an empty image: no shell, no libraries, not root.
#   docker build -t duet .
FROM rust:1.95-bookworm AS build
# musl's compiler: SQLite, ring and mimalloc have parts in C.
RUN apt-get update \
    && apt-get install -y --no-install-recommends musl-tools \
    && rm -rf /var/lib/apt/lists/* \
    && rustup target add "$(uname -m)-unknown-linux-musl"
WORKDIR /duet
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/duet/target \
    cargo build --profile dist --locked -p duet --target "$(uname -m)-unknown-linux-musl" \
    && mkdir -p /image/results /image/tmp \
    && cp "target/$(uname -m)-unknown-linux-musl/dist/duet" /image/duet \
    && strip /image/duet

FROM scratch
# TLS to a database or to an identity provider is checked against these.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
# A new volume on /results belongs to the same user. /tmp is for samples that are made for a run.
COPY --from=build --chown=65532:65532 /image/ /
USER 65532:65532
# In a container the loopback address reaches nobody.
ENV DUET_LISTEN=0.0.0.0:8080
EXPOSE 8080
ENTRYPOINT ["/duet"]
