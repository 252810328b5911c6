//! What a request would do: its plan and the SQL of each level, made by the code that serves it.
//! Nothing is read.

use std::sync::Arc;

use duet_auth::{Open, Principal, ReadRight};
use duet_model::key::{parse_key, percent_decode};
use duet_model::{Code, Error, Groups, Page, ReadPlan, Result, Root, Shape, Value};
use duet_sql::{Dialect, Parameter, Statement};
use duet_store::{CountOf, KeyedRead, PageRead, PlanRead};

use super::pages::no_items;
use crate::build::mount::Mount;
use crate::explanation::{DatabasePlan, ExplainedStatement, Explanation, indexes, plan};
use crate::hosting::context::RequestContext;
use crate::hosting::service::Service;
use crate::parameters::{PageExplain, Parameters, declared};
use crate::queries::expand::Expansion;
use crate::queries::page::{self, Count, PageQuery};
use crate::queries::query::PageParameters;
use crate::resources::representation::any_page;
use crate::resources::resource::Resource;
use crate::resources::service_resource::{ServiceKind, ServiceResource, first_row};
use crate::services::{PathValues, ServiceResult};

impl Service {
    /// The plan of a request and the SQL that it would run on this store, as text. `target` is a
    /// path with its query, or a whole URL.
    ///
    /// # Errors
    /// What the request itself would be answered with, as far as that needs no database.
    pub fn explain(&self, method: &str, target: &str) -> Result<String> {
        self.explanation(method, target).map(|explanation| explanation.to_string())
    }

    /// As [`Service::explain`], in parts.
    ///
    /// # Errors
    /// As [`Service::explain`].
    pub fn explanation(&self, method: &str, target: &str) -> Result<Explanation> {
        if !matches!(method, "GET" | "HEAD") {
            let message = format!("{method} cannot be explained here, only GET and HEAD.");
            return Err(Error::new(Code::MethodNotAllowed, message)
                .hint("Send a write with `?explain=1` to a server: it answers its plan."));
        }
        let (path, query) = split_target(target);
        let snapshot = self.snapshot();
        let (mount, below) = snapshot.route(path).ok_or_else(Self::nothing_here)?;
        let mut services = mount.services_at(below).into_iter();
        if let Some((service, given)) = services.find(|(one, _)| one.file.method == "GET") {
            return self.explain_service(mount, service, &given, query);
        }
        let (name, tail) = below.split_once('/').unwrap_or((below, ""));
        let resource = mount.resource(&percent_decode(name)?)?;
        if resource.service.as_ref().is_some_and(|file| !file.is_served_by_name()) {
            return Err(Self::nothing_here());
        }
        match tail {
            "" => self.explain_page(mount, resource, &Vec::new(), query),
            key => self.explain_item(mount, resource, key, query),
        }
    }

    /// `given` are the values in the path.
    fn explain_service(
        &self,
        mount: &Mount,
        service: &ServiceResource,
        given: &PathValues<'_>,
        query: Option<&str>,
    ) -> Result<Explanation> {
        let file = &service.file;
        let ServiceKind::Read(resource) = &service.kind else {
            let plan = format!("fixed answer of {}, without a statement\n", file.file);
            return Ok(Explanation {
                plan,
                indexes: Vec::new(),
                statements: Vec::new(),
                database: Vec::new(),
            });
        };
        if file.result == ServiceResult::Rows {
            return self.explain_page(mount, resource, given, query);
        }
        let arguments = file.arguments_of_texts(given, &file.query(query)?)?;
        let dialect = self.store().dialect();
        let read = resource.whole.read_page(first_row(arguments), dialect, CountOf::Nothing);
        let (plan, statements) = (plan::print(&read.plan), of_page(&read, dialect));
        Ok(Explanation { plan, indexes: Vec::new(), statements, database: Vec::new() })
    }

    fn explain_item(
        &self,
        mount: &Mount,
        resource: &Resource,
        key: &str,
        query: Option<&str>,
    ) -> Result<Explanation> {
        let parameters = Parameters::parse(query, &declared::OF_ITEMS)?;
        let fields = parameters.text("fields")?;
        let expansion = self.explained(mount, resource, parameters.text("expand")?.as_deref())?;
        let (dialect, keep) = (self.store().dialect(), self.limits().projections);
        let representation =
            resource.representation(fields.as_deref(), expansion.as_ref(), dialect, keep)?;
        let (read, _) = representation.item().ok_or_else(|| no_items(resource))?;
        let key = parse_key(&resource.shape, key)?;
        let (plan, statements) = (plan::print(&read.plan), of_item(read, &key));
        Ok(Explanation { plan, indexes: Vec::new(), statements, database: Vec::new() })
    }

    /// What is expanded, for a client that may read everything.
    fn explained(
        &self,
        mount: &Mount,
        resource: &Resource,
        expand: Option<&str>,
    ) -> Result<Option<Expansion>> {
        expand.map(|text| mount.expansion(resource, text, &|_| true, &self.limits())).transpose()
    }

    fn explain_page(
        &self,
        mount: &Mount,
        resource: &Resource,
        given: &PathValues<'_>,
        query: Option<&str>,
    ) -> Result<Explanation> {
        let parameters = PageParameters::of_resource(resource, given, query)?;
        let expansion = self.explained(mount, resource, parameters.expand.as_deref())?;
        let operator = Principal::anonymous(Open::Read, None);
        let right = operator_right(resource, &operator)?;
        let page_query = parameters.query(right, expansion.as_ref());
        let (dialect, limits) = (self.store().dialect(), self.limits());
        let planned = page::plan(resource, &page_query, &limits, dialect)?;
        let exact = limits.exact_total;
        let has_estimate = page::estimate(resource, &page_query, &planned, exact).is_some();
        let of_documents = resource.collection.is_some() && planned.grouped.is_none();
        let count = page::count_of(&page_query, has_estimate, of_documents, exact);
        let page::PlannedPage { representation, page, .. } = planned;
        let read = representation.read_page(page, dialect, count);
        Ok(page_read(resource, &read, dialect))
    }
}

impl RequestContext<'_> {
    /// What a page would do, and how many documents its filter selects by the planner's estimate. Nothing is read but
    /// that estimate.
    ///
    /// # Errors
    /// As [`Self::page`].
    pub async fn explain_page(
        &self,
        resource: &Resource,
        query: &PageQuery<'_>,
        what: PageExplain,
    ) -> Result<(Explanation, Option<u64>)> {
        let limits = self.service().limits();
        let dialect = self.service().store().dialect();
        let planned = page::plan(resource, query, &limits, dialect)?;
        let is_grouped = planned.grouped.is_some();
        let page::PlannedPage { representation, page, .. } = planned;
        let estimated = Arc::new(representation.read_page(page.clone(), dialect, CountOf::UpTo(0)));
        // The estimate is of all rows, for every caller.
        let total = match self.identity() {
            None if !is_grouped => self.handle().total(&estimated).await?,
            _ => None,
        };
        // Nothing is counted, but the statement that counts is explained.
        let read = match query.count {
            Count::Exact => Arc::new(representation.read_page(page, dialect, CountOf::All)),
            _ => estimated,
        };
        let mut explanation = page_read(resource, &read, dialect);
        if what != PageExplain::Plan {
            explanation.database = self.database_plans(&read, what).await?;
        }
        Ok((explanation, total.map(|total| total.rows)))
    }

    /// What the database says of each statement of a page, those below the first level with the keys that this gives, and of
    /// that which counts, where an exact count is asked for. They
    /// are the plans of Duet's own user, and the numbers of rows are those that it sees.
    async fn database_plans(
        &self,
        read: &Arc<PageRead>,
        what: PageExplain,
    ) -> Result<Vec<DatabasePlan>> {
        if self.identity().is_some() {
            let message = "The database's plan is not for clients with a role of the database: it counts rows that they may not see.";
            return Err(Error::new(Code::Forbidden, message));
        }
        let measured = what == PageExplain::Measured;
        let mut plans = Vec::with_capacity(read.statements.len());
        for (level, statement) in read.statements.iter().enumerate() {
            let explained = PlanRead::new(statement, self.dialect(), measured);
            let explained = if level > 0 { explained.below(read) } else { explained };
            plans.push(DatabasePlan::of(self.handle().explain(&Arc::new(explained)).await?)?);
        }
        let counting = read.counting(self.dialect()).filter(|_| read.count == CountOf::All);
        if let Some(count) = counting {
            let statement = count.totals.as_ref().unwrap_or(&count.statement);
            let explained = Arc::new(PlanRead::new(statement, self.dialect(), measured));
            plans.push(DatabasePlan::of(self.handle().explain(&explained).await?)?);
        }
        Ok(plans)
    }
}

/// The right of the operator, who explains requests with the database at hand: that to read
/// everything.
fn operator_right<'r>(resource: &'r Resource, operator: &'r Principal) -> Result<ReadRight<'r>> {
    let denied = |_| Error::internal("the operator may not read");
    resource.access.read_right(operator).map_err(denied)
}

/// Path and query of a target, which may be a whole URL.
fn split_target(target: &str) -> (&str, Option<&str>) {
    let rest = target
        .split_once("://")
        .map_or(target, |(_, rest)| rest.find(['/', '?']).map_or("", |start| &rest[start..]));
    let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
    rest.split_once('?').map_or((rest, None), |(path, query)| (path, Some(query)))
}

fn of_item(read: &KeyedRead, key: &[Value]) -> Vec<ExplainedStatement> {
    match (&read.one, &read.combined) {
        (Some(one), None) => of_levels(&read.plan, std::slice::from_ref(one), key),
        (Some(all), Some(_)) | (None, Some(all)) => {
            vec![explained("all levels".to_owned(), all, key)]
        }
        (None, None) => of_levels(&read.plan, &read.statements, key),
    }
}

/// What reading items of a shape by their key does.
pub(super) fn of_items(shape: &Arc<Shape>, dialect: &dyn Dialect) -> Explanation {
    let read = KeyedRead::new(ReadPlan::by_keys(Arc::clone(shape)), dialect);
    // Each level by itself: people look for the table that it reads.
    let statements = of_levels(&read.plan, &read.statements, &vec![Value::Null; shape.key.len()]);
    Explanation {
        plan: plan::print(&read.plan),
        indexes: Vec::new(),
        statements,
        database: Vec::new(),
    }
}

/// The explanation of a page.
fn page_read(resource: &Resource, read: &PageRead, dialect: &dyn Dialect) -> Explanation {
    let printer = plan::Printer::new(&read.plan);
    let indexes = match &read.plan.root {
        // No index can be declared for the result of a statement.
        Root::Page(_) if resource.service.is_some() => Vec::new(),
        Root::Page(page) => of_groups(read, dialect)
            .unwrap_or_else(|| indexes::of_page(&printer, &read.plan.shape, page, dialect)),
        Root::Keys => Vec::new(),
    };
    let statements = of_page(read, dialect);
    Explanation { plan: plan::print(&read.plan), indexes, statements, database: Vec::new() }
}

/// The indexes that serve the rows of groups; `None` where a page has none.
fn of_groups(read: &PageRead, dialect: &dyn Dialect) -> Option<Vec<String>> {
    let groups = Groups::of(&read.plan.shape.root().table)?;
    let rows = any_page(&groups.shape);
    let Root::Page(page) = &rows.root else { return None };
    let page = Page { filter: groups.filter.clone(), ..page.clone() };
    Some(indexes::of_page(&plan::Printer::new(&rows), &groups.shape, &page, dialect))
}

fn of_page(read: &PageRead, dialect: &dyn Dialect) -> Vec<ExplainedStatement> {
    let mut statements = of_levels(&read.plan, &read.statements, &[]);
    let Some(count) = read.counting(dialect) else { return statements };
    if let Some(totals) = &count.totals {
        statements.push(explained("total".to_owned(), totals, &[]));
    } else {
        statements.push(explained("total".to_owned(), &count.statement, &[]));
        if let Some(duet_store::Estimating { statement: estimate, .. }) = &count.beyond {
            statements.push(explained("estimate".to_owned(), estimate, &[]));
        }
    }
    statements
}

fn of_levels(plan: &ReadPlan, statements: &[Statement], key: &[Value]) -> Vec<ExplainedStatement> {
    let levels = statements.iter().zip(plan.levels.iter()).enumerate();
    let explain = |(number, (statement, level)): (usize, (&Statement, &duet_model::Level))| {
        let table = plan.shape.nodes[level.node].table.served_name();
        explained(format!("level {number}: {table}"), statement, key)
    };
    levels.map(explain).collect()
}

fn explained(title: String, statement: &Statement, key: &[Value]) -> ExplainedStatement {
    let describe = |parameter: &Parameter| match parameter {
        Parameter::Key { part, .. } => match key.get(*part) {
            Some(value) => format!("{} (part {} of the key)", plan::literal(value), part + 1),
            None => format!("part {} of the keys that level 0 has brought", part + 1),
        },
        Parameter::Value { value, .. } => plan::literal(value),
    };
    ExplainedStatement {
        title,
        sql: statement.sql.to_string(),
        parameters: statement.parameters.iter().map(describe).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        assert_eq!(split_target("/a/b"), ("/a/b", None));
        assert_eq!(split_target("/a/?q=1?2"), ("/a/", Some("q=1?2")));
        assert_eq!(split_target("http://h:8080/a/7?fields=b#x"), ("/a/7", Some("fields=b")));
        assert_eq!(split_target("http://h"), ("", None));
    }
}
