//! A fair queue: first in, first out within a client, round robin between clients.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;

use crate::deadline::Client;

/// The maximum number of empty client queues that are kept for reuse.
const SPARE: usize = 16;

#[derive(Debug)]
pub(crate) struct FairQueue<T> {
    clients: HashMap<Client, VecDeque<(u64, T)>, RandomState>,
    /// The clients with entries, in round-robin order.
    order: VecDeque<Client>,
    spare: Vec<VecDeque<(u64, T)>>,
    len: usize,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        Self { clients: HashMap::default(), order: VecDeque::new(), spare: Vec::new(), len: 0 }
    }
}

impl<T> FairQueue<T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds an entry; ids must ascend.
    pub(crate) fn push(&mut self, client: Client, id: u64, entry: T) {
        let spare = &mut self.spare;
        let queue = self.clients.entry(client).or_insert_with(|| spare.pop().unwrap_or_default());
        if queue.is_empty() {
            self.order.push_back(client);
        }
        queue.push_back((id, entry));
        self.len += 1;
    }

    /// Removes the next entry in round-robin order.
    pub(crate) fn pop(&mut self) -> Option<T> {
        self.pop_of(|_| true)
    }

    /// Whether a client with entries may have something.
    pub(crate) fn has_any_of(&self, may: impl Fn(Client) -> bool) -> bool {
        self.order.iter().any(|client| may(*client))
    }

    /// Removes the next entry in round-robin order of the clients that may have something.
    pub(crate) fn pop_of(&mut self, may: impl Fn(Client) -> bool) -> Option<T> {
        let turn = self.order.iter().position(|client| may(*client))?;
        let client = self.order.remove(turn)?;
        let queue = self.clients.get_mut(&client)?;
        let (_, entry) = queue.pop_front()?;
        self.len -= 1;
        if queue.is_empty() {
            self.forget(client);
        } else {
            self.order.push_back(client);
        }
        Some(entry)
    }

    /// Removes the first matching entry in round-robin order of the clients.
    pub(crate) fn pop_where(&mut self, mut fits: impl FnMut(&T) -> bool) -> Option<T> {
        let (turn, at) = self.order.iter().enumerate().find_map(|(turn, client)| {
            let queue = self.clients.get(client)?;
            Some((turn, queue.iter().position(|(_, entry)| fits(entry))?))
        })?;
        let client = self.order.remove(turn)?;
        let queue = self.clients.get_mut(&client)?;
        let (_, entry) = queue.remove(at)?;
        self.len -= 1;
        if queue.is_empty() {
            self.forget(client);
        } else {
            self.order.push_back(client);
        }
        Some(entry)
    }

    /// Whether any entry matches.
    pub(crate) fn any(&self, mut fits: impl FnMut(&T) -> bool) -> bool {
        let queues = self.order.iter().filter_map(|client| self.clients.get(client));
        queues.flatten().any(|(_, entry)| fits(entry))
    }

    /// Removes an entry, if still queued.
    pub(crate) fn remove(&mut self, client: Client, id: u64) -> Option<T> {
        let queue = self.clients.get_mut(&client)?;
        let at = queue.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        let (_, entry) = queue.remove(at)?;
        self.len -= 1;
        if queue.is_empty() {
            self.order.retain(|other| *other != client);
            self.forget(client);
        }
        Some(entry)
    }

    fn forget(&mut self, client: Client) {
        if let Some(queue) = self.clients.remove(&client)
            && self.spare.len() < SPARE
        {
            self.spare.push(queue);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(number: u64) -> Client {
        Client::new(number)
    }

    #[test]
    fn clients_are_served_round_robin() {
        let mut queue = FairQueue::default();
        for (id, (of, entry)) in [(1, "a1"), (1, "a2"), (1, "a3"), (2, "b1"), (3, "c1"), (2, "b2")]
            .into_iter()
            .enumerate()
        {
            queue.push(client(of), id as u64, entry);
        }
        let mut order = Vec::new();
        while let Some(entry) = queue.pop() {
            order.push(entry);
        }
        assert_eq!(order, ["a1", "b1", "c1", "a2", "b2", "a3"]);
        assert!(queue.is_empty() && queue.clients.is_empty() && queue.order.is_empty());
    }

    #[test]
    fn removes_entries_at_any_position() {
        let mut queue = FairQueue::default();
        for id in 0..6 {
            queue.push(client(id % 2), id, id);
        }
        assert_eq!(queue.remove(client(0), 2), Some(2));
        assert_eq!(queue.remove(client(0), 2), None);
        assert_eq!(queue.pop_where(|entry| *entry == 5), Some(5));
        assert_eq!(queue.pop_where(|entry| *entry == 9), None);
        assert_eq!(queue.len(), 4);
        let rest: Vec<u64> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(rest, [0, 1, 4, 3]);
    }
}
