#!/usr/bin/env bash
# Checks OpenAPI documents with a validator that is not ours, from the Python package registry.
#
#   golden/openapi/validate.sh FILE...
#
# The validator is kept in the folder that VALIDATOR names, and made anew when its versions change here; without the variable it
# goes into a throwaway folder. Where the registry cannot be reached this fails, unless DUET_OFFLINE=1 says that there is none:
# then it says loudly that nothing was checked.
set -euo pipefail

packages=('openapi-spec-validator==0.9.0' 'jsonschema[format]>=4.23,<5')

if [ $# -eq 0 ]; then
    echo "validate.sh: name at least one OpenAPI document" >&2
    exit 2
fi

if [ "${DUET_OFFLINE:-}" = 1 ]; then
    echo "SKIPPED: $# OpenAPI document(s) NOT validated, because DUET_OFFLINE=1" >&2
    exit 0
fi

here=$(cd "$(dirname "$0")" && pwd)
if [ -n "${VALIDATOR:-}" ]; then
    environment=$VALIDATOR
else
    environment=$(mktemp -d)
    trap 'rm -rf "$environment"' EXIT
fi

# The last thing that is written says what is there.
if [ "$(cat "$environment/packages" 2>/dev/null)" != "${packages[*]}" ]; then
    rm -rf "$environment"
    mkdir -p "$environment"
    python3 -m venv "$environment/venv"
    if ! "$environment/venv/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}" \
        >"$environment/log" 2>&1; then
        cat "$environment/log" >&2
        echo "validate.sh: the validator could not be installed from the package registry;" \
            "set DUET_OFFLINE=1 to go on without it" >&2
        exit 1
    fi
    printf '%s\n' "${packages[*]}" >"$environment/packages"
fi

"$environment/venv/bin/python" "$here/validate.py" "$@"
