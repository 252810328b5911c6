//! The end of a connection that the server closes first: its last bytes, and what its client still sends.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::worker::Worker;

/// How long a server that closes first goes on listening, and to how many bytes: closing with
/// bytes unread would destroy the answer on its way to the client.
pub(crate) const LINGER: Duration = Duration::from_secs(2);
const LINGER_BYTES: usize = 32 << 20;
/// How many refused connections may linger at the same time, per worker.
const LINGERING: usize = 100;

/// Sends the last bytes of a connection that is refused.
pub(crate) async fn part(
    worker: &Worker,
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    last: &[u8],
) {
    if worker.refusing.get() >= LINGERING {
        return;
    }
    worker.refusing.set(worker.refusing.get() + 1);
    // A client that does not read it has disconnected.
    drop(tokio::time::timeout(LINGER, stream.write_all(last)).await);
    drop(stream.shutdown().await);
    linger(&mut stream).await;
    worker.refusing.set(worker.refusing.get() - 1);
}

/// Reads and discards what the client still sends, for a while.
pub(crate) async fn linger(stream: &mut (impl AsyncRead + Unpin)) {
    let reading = async {
        let mut scratch = vec![0; 16 << 10];
        let mut rest = LINGER_BYTES;
        while let Ok(count @ 1..) = stream.read(&mut scratch).await {
            rest = rest.saturating_sub(count);
            if rest == 0 {
                return;
            }
        }
    };
    drop(tokio::time::timeout(LINGER, reading).await);
}
