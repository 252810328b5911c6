//! Facets of a list, as RMB has them: how often the most frequent values of a member occur in all documents that the
//! list's filter selects.

use std::sync::Arc;

use duet_model::key::percent_decode;
use duet_model::{
    ArrayPath, ColumnRef, Direction, Expr, FieldRef, GroupAggregate, GroupFunction,
    GroupedElements, GroupedValue, Groups, OrderBy, Page, Result, Scope, Shape, Type,
};

use crate::parameters::bad;
use crate::parameters::declared::FACETS;

/// Values of a facet without a number of its own.
const VALUES: u64 = 5;
/// Facets of a list at most.
const MOST: usize = 20;
/// The names of the columns that are read.
const COLUMNS: [&str; 2] = ["value", "count"];

/// What a facet counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FacetPath {
    /// The texts of a member of the documents, by its names.
    Member(Vec<String>),
    /// The JSON values of elements of arrays, each by itself.
    Elements(ArrayPath),
}

/// A facet: `path` or `path:values`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facet {
    /// What is counted.
    pub path: FacetPath,
    /// How many values at most.
    pub values: u64,
}

impl Facet {
    /// Its name in the answer: that of the member.
    pub fn name(&self) -> &str {
        match &self.path {
            FacetPath::Member(names) => names.last().map_or("", String::as_str),
            FacetPath::Elements(path) => path.name(),
        }
    }

    /// # Errors
    /// For a text that is no path with a number.
    fn parse(text: &str) -> Result<Self> {
        let (path, values) = match text.split_once(':') {
            None => (text, Some(VALUES)),
            Some((path, values)) => (path, values.parse().ok()),
        };
        let path = match path.contains("[]") {
            true => ArrayPath::parse(path).map(FacetPath::Elements),
            false => {
                let names: Vec<String> = path.split('.').map(str::to_owned).collect();
                let is_path = names.iter().all(|name| !name.is_empty());
                is_path.then_some(FacetPath::Member(names))
            }
        };
        let Some((path, values)) = path.zip(values) else {
            let message = "`facets` takes a path, or a path and the number of its values, such as status:10; \
                           behind an array, of which a path has eight at most, is []: addresses[].city.";
            return Err(bad(FACETS.name, message.to_owned()));
        };
        Ok(Self { path, values })
    }
}

/// Takes the facets out of a query string: they may be repeated.
///
/// # Errors
/// Where one of them is malformed, or there are too many.
pub(crate) fn split(query: &str) -> Result<(String, Vec<Facet>)> {
    let (mut others, mut facets) = (Vec::new(), Vec::new());
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if percent_decode(name)? != FACETS.name {
            others.push(pair);
            continue;
        }
        if facets.len() == MOST {
            return Err(bad(FACETS.name, format!("A list has at most {MOST} facets.")));
        }
        facets.push(Facet::parse(&percent_decode(&value.replace('+', " "))?)?);
    }
    Ok((others.join("&"), facets))
}

/// The values of a member of the documents that a filter selects, with their numbers, as a shape with two columns, and the
/// page of it that is read: the most frequent ones first.
pub(crate) fn read(
    shape: &Arc<Shape>,
    column: usize,
    page: &Page,
    facet: &Facet,
    most: u64,
) -> (Shape, Page) {
    let (elements, value) = match &facet.path {
        FacetPath::Member(names) => {
            let inside = FieldRef { scope: Scope::Node(0), column, path: names.clone() };
            let value = Expr::Extracted(inside, Type::Json);
            (None, GroupedValue { value, ty: Type::Text })
        }
        FacetPath::Elements(path) => {
            let column = ColumnRef { node: 0, column };
            (Some(GroupedElements { column, path: path.clone() }), GroupedValue::element())
        }
    };
    let filter = shape.over_joined_rows(page.filter.clone());
    let groups = Groups {
        shape: Arc::clone(shape),
        filter,
        elements,
        keys: vec![value],
        aggregates: vec![GroupAggregate { function: GroupFunction::Count, of: None }],
    };
    let names = COLUMNS.map(str::to_owned);
    let found = Shape::of_relation(&Arc::new(groups.relation(&names)));
    let [value, count] = [0, 1].map(|column| ColumnRef { node: 0, column });
    let order: Vec<OrderBy> = vec![
        found.order_by(count, Direction::Descending),
        found.order_by(value, Direction::Ascending),
    ];
    let page = Page {
        filter: Expr::Not(Box::new(Expr::IsNull(Box::new(value.into())))),
        order,
        by_row_number: false,
        after: None,
        offset: 0,
        limit: facet.values.min(most),
        arguments: Arc::clone(&page.arguments),
    };
    (found, page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facets_are_taken_out_of_a_query() {
        let query = "query=a%3D%3D1&facets=a.b:3&limit=2&facets=c&facets=e.f[].g:2&f%61cets=d";
        let (others, facets) = split(query).unwrap();
        assert_eq!(others, "query=a%3D%3D1&limit=2");
        let found: Vec<_> =
            facets.iter().map(|one| (one.path.clone(), one.name(), one.values)).collect();
        let member = |path: &str| FacetPath::Member(path.split('.').map(str::to_owned).collect());
        let elements = ArrayPath::parse("e.f[].g").map(FacetPath::Elements).unwrap();
        let expected = [
            (member("a.b"), "b", 3),
            (member("c"), "c", 5),
            (elements, "g", 2),
            (member("d"), "d", 5),
        ];
        assert_eq!(found, expected);
        for wrong in
            ["facets=", "facets=a:", "facets=a:-1", "facets=a..b", "facets=[]", "facets=a[]b"]
        {
            assert!(split(wrong).is_err(), "{wrong}");
        }
        assert!(split(&"facets=a&".repeat(21)).is_err());
    }
}
