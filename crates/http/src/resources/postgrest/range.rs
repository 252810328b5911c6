//! Ranges of rows: what `limit`, `offset` and `Range` ask for, and what `Content-Range` says.

use duet_filter::postgrest::NodeParameters;
use duet_model::Error;
use duet_model::profiles::PostgrestCode;
use hyper::header::{CONTENT_RANGE, RANGE};
use hyper::{HeaderMap, Method, StatusCode};
use serde_json::json;

/// The rows that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowRange {
    /// How many are skipped.
    pub(crate) offset: u64,
    /// How many there are at most; `u64::MAX` means all.
    pub(crate) limit: u64,
}

impl RowRange {
    /// What a request asks for: the header counts for `GET` alone.
    ///
    /// # Errors
    /// As [`Self::of`], and for a negative limit.
    pub(crate) fn of_request(
        method: &Method,
        headers: &HeaderMap,
        root: &NodeParameters,
    ) -> Result<Self, Error> {
        if root.has_negative_limit {
            return Err(unsatisfiable("Limit should be greater than or equal to zero."));
        }
        let range = Self { offset: root.offset, limit: root.limit.unwrap_or(u64::MAX) };
        if *method == Method::GET { range.of(headers) } else { Ok(range) }
    }

    /// What parameters and header have in common.
    ///
    /// # Errors
    /// [`PostgrestCode::Range`] where the header ends before it begins, and where no row is in both.
    pub(crate) fn of(self, headers: &HeaderMap) -> Result<Self, Error> {
        let Some((first, last)) = header(headers) else { return Ok(self) };
        if last.is_some_and(|last| last < first) {
            let details = "The lower boundary must be lower than or equal to the upper boundary in the Range header.";
            return Err(unsatisfiable(details));
        }
        let end = self.offset.saturating_add(self.limit);
        let end = last.map_or(end, |last| end.min(last.saturating_add(1)));
        let offset = self.offset.max(first);
        let limit = end.saturating_sub(offset);
        match limit == 0 && self.limit > 0 {
            true => Err(unsatisfiable(
                "The range of the header and that of the parameters have no row in common.",
            )),
            false => Ok(Self { offset, limit }),
        }
    }

    /// The status of an answer with some rows, and its `Content-Range`.
    ///
    /// # Errors
    /// [`PostgrestCode::Range`] where the range begins behind all rows.
    pub(crate) fn answered(
        self,
        rows: u64,
        total: Option<u64>,
    ) -> Result<(StatusCode, String), Error> {
        if let Some(total) = total.filter(|total| self.offset > *total) {
            let details = format!(
                "An offset of {} was requested, but there are only {total} rows.",
                self.offset
            );
            let range = format!("*/{total}");
            return Err(unsatisfiable(&details).with_header(CONTENT_RANGE.as_str(), range));
        }
        let of_all = total.map_or_else(|| "*".to_owned(), |total| total.to_string());
        let status = match total {
            Some(total) if rows < total => StatusCode::PARTIAL_CONTENT,
            _ => StatusCode::OK,
        };
        Ok((status, content_range(self.offset, rows, &of_all)))
    }
}

/// `Content-Range` for rows from an offset.
pub(crate) fn content_range(offset: u64, rows: u64, of_all: &str) -> String {
    match rows {
        0 => format!("*/{of_all}"),
        rows => format!("{offset}-{}/{of_all}", offset + rows - 1),
    }
}

fn unsatisfiable(details: &str) -> Error {
    PostgrestCode::Range.with_details("Requested range not satisfiable", json!(details).to_string())
}

/// The first and the last row of the header; one of another form is ignored.
fn header(headers: &HeaderMap) -> Option<(u64, Option<u64>)> {
    let text = headers.get(RANGE)?.to_str().ok()?.trim();
    let (first, last) = text.split_once('-')?;
    let last = match last {
        "" => None,
        last => Some(last.parse().ok()?),
    };
    Some((first.parse().ok()?, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(range: &str, offset: u64, limit: u64) -> Result<(u64, u64), Error> {
        let mut headers = HeaderMap::new();
        headers.insert(RANGE, range.parse().unwrap());
        RowRange { offset, limit }.of(&headers).map(|range| (range.offset, range.limit))
    }

    #[test]
    fn parameters_and_header_are_cut() {
        assert_eq!(with("0-1", 0, u64::MAX).unwrap(), (0, 2));
        assert_eq!(with("10-", 0, u64::MAX).unwrap(), (10, u64::MAX - 10));
        assert_eq!(with("2-9", 1, 4).unwrap(), (2, 3));
        assert_eq!(with("items=2-9", 1, 4).unwrap(), (1, 4));
        assert_eq!(with("3-9", 0, 0).unwrap(), (3, 0));
        for (range, limit) in [("4-3", 9), ("9-12", 3)] {
            assert_eq!(with(range, 0, limit).unwrap_err().foreign().unwrap().status, 416);
        }
    }

    #[test]
    fn answers_say_which_rows() {
        let range = RowRange { offset: 2, limit: 3 };
        let answered = |rows, total| range.answered(rows, total).unwrap();
        assert_eq!(answered(3, None), (StatusCode::OK, "2-4/*".to_owned()));
        assert_eq!(answered(3, Some(15)), (StatusCode::PARTIAL_CONTENT, "2-4/15".to_owned()));
        assert_eq!(answered(0, Some(2)).1, "*/2");
        let error = range.answered(0, Some(1)).unwrap_err();
        let foreign = error.foreign().unwrap();
        assert_eq!(foreign.code, "PGRST103");
        assert_eq!(foreign.headers, [("content-range".to_owned(), "*/1".to_owned())]);
        let all = RowRange { offset: 0, limit: 9 };
        assert_eq!(all.answered(0, Some(0)).unwrap(), (StatusCode::OK, "*/0".to_owned()));
    }
}
