//! The connection between the supervisor and an instance: a pair of sockets, over which
//! descriptors go once and lines of JSON afterwards.
//!
//! An instance finds its end at the standard input: a descriptor by number would need `unsafe` on
//! both sides.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;

/// The most descriptors that go at once; the kernel takes 253.
pub(crate) const MOST_DESCRIPTORS: usize = 64;

/// Sends descriptors, with one byte that says how many.
pub(crate) fn send_descriptors(to: &UnixStream, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let count = u8::try_from(descriptors.len()).ok();
    let count = count.filter(|count| usize::from(*count) <= MOST_DESCRIPTORS);
    let count = [count.ok_or_else(|| io::Error::other("too many sockets"))?];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::Error::other("too many sockets"));
    }
    sendmsg(to, &[IoSlice::new(&count)], &mut control, SendFlags::empty())?;
    Ok(())
}

/// Receives them.
pub(crate) fn receive_descriptors(from: &UnixStream) -> io::Result<Vec<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut count = [0];
    let received =
        recvmsg(from, &mut [IoSliceMut::new(&mut count)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let mut descriptors = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(some) = message {
            descriptors.extend(some);
        }
    }
    match received.bytes == 1 && descriptors.len() == usize::from(count[0]) {
        true => Ok(descriptors),
        false => Err(io::Error::other("the supervisor sent no sockets")),
    }
}

/// Reads messages until the other side ends.
#[derive(Debug)]
pub(crate) struct Reader {
    lines: BufReader<OwnedReadHalf>,
    line: Vec<u8>,
}

impl Reader {
    pub(crate) fn new(half: OwnedReadHalf) -> Self {
        Self { lines: BufReader::new(half), line: Vec::new() }
    }

    /// The next message; `None` at the end, and after something that is none.
    pub(crate) async fn next<M: DeserializeOwned>(&mut self) -> Option<M> {
        self.line.clear();
        let read = self.lines.read_until(b'\n', &mut self.line).await;
        match read {
            Ok(1..) => serde_json::from_slice(&self.line).ok(),
            _ => None,
        }
    }
}

/// Sends messages in order; a slow receiver delays nobody here.
#[derive(Clone, Debug)]
pub(crate) struct Sender(mpsc::UnboundedSender<Vec<u8>>);

impl Sender {
    /// A sender, and what writes its messages until the other side or the last sender is gone.
    pub(crate) fn new(mut half: OwnedWriteHalf) -> (Self, impl Future<Output = ()> + Send) {
        let (sender, mut messages) = mpsc::unbounded_channel::<Vec<u8>>();
        let writing = async move {
            while let Some(message) = messages.recv().await {
                if half.write_all(&message).await.is_err() {
                    return;
                }
            }
        };
        (Self(sender), writing)
    }

    /// Sends a message, unless the other side is gone.
    pub(crate) fn send(&self, message: &impl Serialize) {
        // Messages are ours: each can be written.
        let Ok(mut line) = serde_json::to_vec(message) else { return };
        line.push(b'\n');
        let _ = self.0.send(line);
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read, Seek, Write};
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn descriptors_arrive() {
        let (near, far) = UnixStream::pair().unwrap();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"here").unwrap();
        file.rewind().unwrap();
        send_descriptors(&near, &[file.as_fd(), near.as_fd()]).unwrap();
        let received = receive_descriptors(&far).unwrap();
        assert_eq!(received.len(), 2);
        let mut text = String::new();
        File::from(received.into_iter().next().unwrap()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "here");
    }

    #[test]
    fn what_is_no_supervisor_is_refused() {
        let (mut near, far) = UnixStream::pair().unwrap();
        near.write_all(&[3]).unwrap();
        assert!(receive_descriptors(&far).is_err());
        drop(near);
        assert!(receive_descriptors(&far).is_err());
    }
}
