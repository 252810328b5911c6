//! One user: lists with their checks; cycles are in `cycle`.

use std::sync::Arc;

use duet_bench::targets::http::Response;
use duet_bench::workload::{
    CheckCounts, Checker, Done, Failed, Local, Session, Success, TransactionContext,
};

use super::facts::{CREATE_ORDER, CYCLE_LINE, CYCLE_ORDER, Facts, OrderLine, Order, base_36};
use super::list::{is_ordered, total, values};
use super::queries::{SortDirection, Holds, QUERIES, Query, Seek};
use crate::http_client::{HttpClient, percent_encoded, refused};

/// The checks of every response, by their names in results.
pub(super) const CHECKS: [&str; 9] = [
    "is status 200",
    "has its list",
    "has the expected totalRecords",
    "has a page of requested documents",
    "is in order",
    "is created with 201",
    "is updated with 204",
    "is read as it was updated",
    "is deleted with 204",
];
const STATUS: usize = 0;
const LIST: usize = 1;
const TOTAL: usize = 2;
const REQUESTED: usize = 3;
const SORTED: usize = 4;

/// Documents of a page, which is the default of the service.
pub(super) const PAGE: u64 = 10;

/// One user.
pub(super) struct UserSession {
    pub(super) facts: Arc<Facts>,
    pub(super) client: HttpClient,
    checks: Arc<CheckCounts>,
    /// The paths of the lists that are the same in every request; of the others, empty.
    paths: Vec<String>,
    /// The beginning of this user's new numbers.
    prefix: String,
    created: u64,
}

impl UserSession {
    pub(super) async fn open(
        facts: Arc<Facts>,
        checks: Arc<CheckCounts>,
        user: u32,
    ) -> Result<Self, Failed> {
        let tenant = format!("X-Okapi-Tenant: {}\r\n", facts.tenant);
        let authorization = facts.authorization.as_deref();
        let fixed = |query: &Query| match query.seek {
            Seek::Values => path(query, query.cql, &facts.total_records),
            Seek::Order | Seek::Line => String::new(),
        };
        Ok(Self {
            client: HttpClient::open(&facts.url, authorization, &tenant, facts.timeout).await?,
            checks,
            paths: QUERIES.iter().map(fixed).collect(),
            prefix: format!("{}{}", facts.run, base_36(u64::from(user), 3)),
            created: 0,
            facts,
        })
    }

    /// The number of a new order.
    pub(super) fn new_number(&mut self) -> String {
        self.created += 1;
        format!("{}{}", self.prefix, base_36(self.created, 5))
    }

    async fn list(
        &mut self,
        kind: usize,
        context: &mut TransactionContext,
        checks: Checker<'_>,
    ) -> Done {
        let query = &QUERIES[kind];
        let facts = self.facts.clone();
        let sought = Sought::draw(query.seek, &facts, context);
        let filled;
        let path = match query.seek {
            Seek::Values => &self.paths[kind],
            Seek::Order | Seek::Line => {
                filled = path(query, &sought.fill(query.cql), &facts.total_records);
                &filled
            }
        };
        let answer = self.client.ask(&mut context.work, ["GET", path]).await?;
        let total = match facts.total_records.as_str() {
            "none" => Total::Left,
            _ if query.cql.contains("{number}") => Total::Is(1),
            _ => facts.totals.get(kind).copied().flatten().map_or(Total::Any, Total::Is),
        };
        check(&answer, query, &sought, total, checks)
    }
}

/// The path of a list with its query.
pub(super) fn path(query: &Query, cql: &str, total_records: &str) -> String {
    let more = match total_records {
        "" => String::new(),
        value => format!("&totalRecords={value}"),
    };
    format!("{}?query={}{more}", query.path, percent_encoded(cql))
}

/// What a request looks for.
enum Sought<'a> {
    Values,
    Order(&'a Order),
    Line(&'a OrderLine),
}

impl<'a> Sought<'a> {
    /// At random. Facts have orders and lines, or no type that needs them.
    fn draw(seek: Seek, facts: &'a Facts, context: &mut TransactionContext) -> Self {
        let mut at = |count: usize| context.random.usize(..count.max(1));
        match seek {
            Seek::Values => Self::Values,
            Seek::Order => {
                facts.orders.get(at(facts.orders.len())).map_or(Self::Values, Self::Order)
            }
            Seek::Line => facts.lines.get(at(facts.lines.len())).map_or(Self::Values, Self::Line),
        }
    }

    /// A text with its placeholders filled.
    fn fill(&self, text: &str) -> String {
        let members: &[(&str, &str)] = match self {
            Self::Values => &[],
            Self::Order(it) => {
                &[("{number}", &it.number), ("{type}", &it.order_type), ("{status}", &it.status)]
            }
            Self::Line(it) => &[
                ("{number}", &it.number),
                ("{order}", &it.order),
                ("{format}", &it.format),
                ("{payment}", &it.payment),
                ("{word}", &it.word),
            ],
        };
        members.iter().fold(text.to_owned(), |text, (place, value)| text.replace(place, value))
    }
}

/// The total that a list must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Total {
    /// None: it was not asked for.
    Left,
    /// One that is not known, but not nothing.
    Any,
    Is(u64),
}

/// Checks a list: its envelope, its total, and every document of the page.
fn check(
    answer: &Response<'_>,
    query: &Query,
    sought: &Sought<'_>,
    expected: Total,
    checks: Checker<'_>,
) -> Done {
    if !checks.note(STATUS, answer.status == 200) {
        return Err(refused(answer, query.path, ""));
    }
    checks.hold(LIST, answer.contains(format!("\"{}\"", query.list()).as_bytes()))?;
    let total = total(answer.body);
    let is_expected = match expected {
        Total::Left => true,
        Total::Any => total.is_some_and(|total| total > 0),
        Total::Is(expected) => total == Some(expected),
    };
    checks.hold(TOTAL, is_expected)?;
    let documents = total.map(|total| total.min(PAGE) as usize);
    let are_requested = query.holds.iter().all(|holds| {
        let (member, value) = holds.parts();
        let (found, value) = (values(answer.body, member), sought.fill(value));
        let is_so = |found: &&[u8]| match holds {
            Holds::Is(..) => *found == value.as_bytes(),
            Holds::Has(..) => has(found, &value),
        };
        !found.is_empty() && documents.is_none_or(|it| it == found.len()) && found.iter().all(is_so)
    });
    checks.hold(REQUESTED, are_requested)?;
    if !query.order.is_empty() {
        let columns = query.order.iter();
        let columns: Vec<(Vec<&[u8]>, SortDirection)> =
            columns.map(|(member, way)| (values(answer.body, member), *way)).collect();
        let (member, _) = query.holds[0].parts();
        let documents = values(answer.body, member).len();
        let are_whole = columns.iter().all(|(values, _)| values.len() == documents);
        checks.hold(SORTED, are_whole && is_ordered(&columns))?;
    }
    Ok(Success::Ok)
}

/// Whether a text has another in it, without regard to the case of ASCII letters.
fn has(text: &[u8], part: &str) -> bool {
    let (text, part) = (text.to_ascii_lowercase(), part.to_ascii_lowercase());
    memchr::memmem::find(&text, part.as_bytes()).is_some()
}

impl Session for UserSession {
    fn run<'a>(&'a mut self, kind: usize, context: &'a mut TransactionContext) -> Local<'a, Done> {
        Box::pin(async move {
            let counts = self.checks.clone();
            let checks = counts.of(kind);
            match kind {
                CYCLE_ORDER => self.cycle_order(context, checks).await,
                CYCLE_LINE => self.cycle_line(context, checks).await,
                CREATE_ORDER => self.create_order(context, checks).await,
                list if list < QUERIES.len() => self.list(list, context, checks).await,
                _ => self.create_line(context, checks).await,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use duet_bench::targets::http::Length;

    use super::*;

    /// What is wrong with a body as the answer of a list.
    fn wrong(short: &str, expected: Total, body: &str) -> Option<String> {
        let query = QUERIES.iter().find(|query| query.short == short).unwrap();
        let order = Order {
            id: "i".into(),
            number: "10001".into(),
            order_type: "Ongoing".into(),
            status: "Open".into(),
        };
        let counts = CheckCounts::new(&CHECKS, 1);
        let body = body.as_bytes();
        let answer = Response { status: 200, head: b"", body, length: Length::Matched };
        let done = check(&answer, query, &Sought::Order(&order), expected, counts.of(0));
        done.err().map(|failed| failed.message)
    }

    #[test]
    fn wrong_lists_are_reported() {
        let one = r#"{"purchaseOrders":[{"poNumber":"10001"}],"totalRecords":1}"#;
        let found = |expected, body: &str| wrong("SEARCH-PO", expected, body);
        assert_eq!(found(Total::Is(1), one), None);
        assert_eq!(found(Total::Left, &one.replace("totalRecords", "x")), None);
        for (body, message) in [
            (one.replace("purchaseOrders", "orders"), CHECKS[LIST]),
            (one.replace("totalRecords\":1", "totalRecords\":2"), CHECKS[TOTAL]),
            (one.replace("totalRecords", "x"), CHECKS[TOTAL]),
            (one.replace("10001", "10002"), CHECKS[REQUESTED]),
            (one.replace("poNumber", "x"), CHECKS[REQUESTED]),
        ] {
            assert_eq!(found(Total::Is(1), &body).as_deref(), Some(message), "{body}");
        }
        assert_eq!(
            found(Total::Any, &one.replace(":1}", ":2}")).as_deref(),
            Some(CHECKS[REQUESTED])
        );
    }

    #[test]
    fn a_sorted_list_is_in_order() {
        let body = r#"{"purchaseOrders":[
            {"workflowStatus":"Open","metadata":{"createdDate":"2019-06-01T00:00:00.500Z"}},
            {"workflowStatus":"Open","metadata":{"createdDate":"2019-06-01T00:00:01.000Z"}}],"totalRecords":2}"#;
        let found = |body: &str| wrong("SORT-O", Total::Any, body);
        assert_eq!(found(body), None);
        assert_eq!(found(&body.replace("01.000Z", "00.000Z")).as_deref(), Some(CHECKS[SORTED]));
        // A document without the member is not in order.
        assert_eq!(found(&body.replace("createdDate", "x")).as_deref(), Some(CHECKS[SORTED]));
        let is_missing = found(&body.replacen("workflowStatus\":\"Open\"", "x\":0", 1));
        assert_eq!(is_missing.as_deref(), Some(CHECKS[REQUESTED]));
    }

    #[test]
    fn placeholders_are_filled() {
        let line = OrderLine {
            number: "10001-2".into(),
            order: "10001".into(),
            format: "Other".into(),
            payment: "Pending".into(),
            word: "kayak".into(),
        };
        let sought = Sought::Line(&line);
        for query in QUERIES.iter().filter(|query| query.seek == Seek::Line) {
            assert!(!sought.fill(query.cql).contains('{'), "{}", query.cql);
        }
        assert!(has("A Kayak".as_bytes(), "kayak") && !has(b"a", "kayak"));
    }
}
