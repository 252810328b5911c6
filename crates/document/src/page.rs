//! Pages: the envelope around items.

use duet_model::Result;

use crate::cells::json::write_string;
use crate::etag::EtagHasher;
use crate::fetched::FetchedRows;
use crate::program::{DocumentEtags, Links, Program};

/// The metadata of a page.
#[derive(Clone, Copy, Debug)]
pub struct PageFrame {
    /// The maximum number of items.
    pub limit: u64,
    /// How many items come before it.
    pub offset: u64,
    /// The total number of items and whether it is exact, if requested.
    pub total: Option<(u64, bool)>,
}

/// What follows the items: the links of the page, as JSON array text.
pub struct PageTail<'a> {
    /// Called with whether there are more items; gives the value of `links`.
    pub links: &'a dyn Fn(bool) -> String,
}

impl Program {
    /// Appends a page: `items`, `hasMore`, `limit`, `offset`, `count`, `links`, in this order,
    /// with `total` and `totalExact` after `count` if requested. The statement
    /// reads one row more than `limit`: whether it is there is `hasMore`.
    ///
    /// The page's etag covers all members of the items, those too that an item's etag leaves out,
    /// and the envelope, but no links. Where items show etags of their own, the page's is made of
    /// these; otherwise all bytes are hashed at once, which is cheaper than item by item.
    ///
    /// # Errors
    /// [`duet_model::Code::FlexNoObject`]
    pub fn write_page(
        &self,
        fetched: &FetchedRows,
        page: &PageFrame,
        links: &Links<'_>,
        tail: &PageTail<'_>,
        out: &mut Vec<u8>,
    ) -> Result<DocumentEtags> {
        if let Some(list) = &self.list {
            return self.write_list(list, fetched, page, links, out);
        }
        let rows = fetched.roots().len();
        let limit = usize::try_from(page.limit).unwrap_or(usize::MAX);
        let (count, has_more) = (rows.min(limit), rows > limit);
        let mut covered = EtagHasher::with_capacity(&self.etag, count * 128 + 64);
        out.extend_from_slice(b"{\"items\":[");
        for row in 0..count {
            if row > 0 {
                out.push(b',');
            }
            if self.as_of.is_none() {
                let start = out.len();
                self.write_unhashed(fetched, row, out)?;
                covered.update(&out[start..]);
            } else {
                let written = self.write_members(fetched, row, out)?;
                covered.update(&written.etag.digits());
                written.unchecked.iter().for_each(|rest| covered.update(&rest.digits()));
                self.write_metadata(fetched, row, written.etag, out);
            }
            self.end_page_item(fetched, row, links, out);
        }
        out.extend_from_slice(b"],");
        let start = out.len();
        let mut member = |name: &str, value: &str| {
            out.push(b'"');
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b"\":");
            out.extend_from_slice(value.as_bytes());
            out.push(b',');
        };
        member("hasMore", if has_more { "true" } else { "false" });
        member("limit", &page.limit.to_string());
        member("offset", &page.offset.to_string());
        member("count", &count.to_string());
        if let Some((total, exact)) = page.total {
            member("total", &total.to_string());
            member("totalExact", if exact { "true" } else { "false" });
        }
        covered.update(&out[start..]);
        out.extend_from_slice(b"\"links\":");
        out.extend_from_slice((tail.links)(has_more).as_bytes());
        out.push(b'}');
        Ok(DocumentEtags { etag: covered.etag(), unchecked: None })
    }

    /// Appends the items of a page as an array, without links and without an envelope: each as a stream of NDJSON has
    /// it. The etag is that of the array and of what the envelope would say.
    ///
    /// # Errors
    /// [`duet_model::Code::FlexNoObject`]
    pub fn write_rows(
        &self,
        fetched: &FetchedRows,
        page: &PageFrame,
        tail: &PageTail<'_>,
        out: &mut Vec<u8>,
    ) -> Result<DocumentEtags> {
        let rows = fetched.roots().len();
        let limit = usize::try_from(page.limit).unwrap_or(usize::MAX);
        let start = out.len();
        out.push(b'[');
        for row in 0..rows.min(limit) {
            if row > 0 {
                out.push(b',');
            }
            self.write_bare(fetched, row, out)?;
        }
        out.push(b']');
        let mut covered = EtagHasher::with_capacity(&self.etag, out.len() - start + 64);
        covered.update(&out[start..]);
        let frame = (page.limit, page.offset, page.total, rows > limit);
        covered.update(format!("{frame:?}").as_bytes());
        (tail.links)(rows > limit);
        Ok(DocumentEtags { etag: covered.etag(), unchecked: None })
    }

    /// Appends a list of a collection's documents as they are stored: `{"NAME":[…],"totalRecords":n}`,
    /// without the total where it was not asked for.
    fn write_list(
        &self,
        list: &str,
        fetched: &FetchedRows,
        page: &PageFrame,
        links: &Links<'_>,
        out: &mut Vec<u8>,
    ) -> Result<DocumentEtags> {
        let limit = usize::try_from(page.limit).unwrap_or(usize::MAX);
        let start = out.len();
        out.push(b'{');
        write_string(list.as_bytes(), out);
        out.extend_from_slice(b":[");
        for row in 0..fetched.roots().len().min(limit) {
            if row > 0 {
                out.push(b',');
            }
            self.write_unhashed(fetched, row, out)?;
            self.end_page_item(fetched, row, links, out);
        }
        out.push(b']');
        if let Some((total, _)) = page.total {
            out.extend_from_slice(b",\"totalRecords\":");
            out.extend_from_slice(total.to_string().as_bytes());
        }
        out.push(b'}');
        Ok(DocumentEtags { etag: self.etag.etag(&out[start..]), unchecked: None })
    }
}
