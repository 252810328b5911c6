//! The state of a SQLite file: its pages, its log, and what this server has done to it. SQLite keeps no sessions.

use duet_model::Result;
use duet_store::instance::InstanceView;
use duet_store::statistics::StoreCounts;

use crate::connection::failure::error_of;
use crate::connection::watched::log_of;
use crate::file::File;

impl File {
    /// The file as it is now; `counted` is what this server has done.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub(crate) fn view(&self, counted: StoreCounts) -> Result<InstanceView> {
        let control = self.control()?;
        let pragma = |name: &str| -> Result<f64> {
            let read = control.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
            read.map(|value| value as f64).map_err(|error| error_of(&error))
        };
        let page = pragma("page_size")?;
        // A negative size is in KiB, another one in pages (SQLite, "PRAGMA cache_size").
        let cache = pragma("cache_size")?;
        let cache = if cache < 0.0 { -cache * 1024.0 } else { cache * page };
        let gauges = vec![
            ("file_bytes", pragma("page_count")? * page),
            ("free_bytes", pragma("freelist_count")? * page),
            ("page_bytes", page),
            ("cache_bytes_of_a_connection", cache),
            ("wal_bytes", std::fs::metadata(log_of(self.path())).map_or(0.0, |it| it.len() as f64)),
        ];
        let counters = vec![
            ("commits", counted.transactions as f64),
            ("rows_changed", counted.rows as f64),
            ("pages_read", counted.pages as f64),
            ("batches", counted.batches as f64),
            ("retries", counted.retries as f64),
            ("checkpoints", counted.checkpoints as f64),
        ];
        let unread = vec![
            "SQLite keeps no sessions: commits and reads are those of this server, and what waits is in the queues below.".to_owned(),
        ];
        Ok(InstanceView { sessions: Vec::new(), counters, gauges, unread })
    }
}
