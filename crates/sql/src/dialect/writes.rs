//! What writes need beside `INSERT`, `UPDATE` and `DELETE`: locks of rows, and what a store may lack.

/// What writes need beside `INSERT`, `UPDATE` and `DELETE`: locks of rows, and what a store may lack.
pub trait WriteSyntax {
    /// The SQL text before the alias of the table whose rows a `SELECT` locks until the end of the
    /// transaction; `None` if the engine has no row locks.
    fn row_lock(&self) -> Option<&'static str> {
        None
    }

    /// Like [`Self::row_lock`], but other transactions may insert rows that reference the locked one. All
    /// other writes of it are excluded.
    fn row_lock_beside_references(&self) -> Option<&'static str> {
        self.row_lock()
    }

    /// The SQL text behind a row lock that leaves out rows that are locked by others, and the text that
    /// makes them an error; `None` if the engine cannot do both.
    fn row_lock_without_waiting(&self) -> Option<[&'static str; 2]> {
        None
    }

    /// Whether `TRUNCATE` is there.
    fn truncates(&self) -> bool {
        false
    }

    /// Whether there are stored functions and procedures.
    fn has_routines(&self) -> bool {
        false
    }
}
