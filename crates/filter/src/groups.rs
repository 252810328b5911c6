//! `$group` and `$having`: groups of the rows that a filter selects.
//!
//! `{"points":{"$gt":0},"$group":{"by":["team"],"n":{"$count":"*"},"most":{"$max":"points"}},
//! "$having":{"n":{"$gt":1}},"$orderby":{"most":"DESC"}}`: conditions beside `$group` are of rows,
//! those in `$having` and the order are of groups, whose fields are the keys and the aggregates.
//!
//! Groups become a relation of their own, whose columns are named by position: no text of a request
//! becomes a name. A shape over it has `$having` as its filter, so orders, pages, streams, counts
//! and the writer know nothing of groups.

use std::sync::Arc;

use duet_model::group_function::is_key;
use duet_model::shape::Field;
use duet_model::{
    Code, Error, Expr, GroupAggregate, GroupFunction, GroupedValue, Groups, OrderBy, Result, Shape,
    Type,
};
use duet_text::error::Place;
use duet_text::json::{FILTER, Json, JsonKind, JsonMember, read};
use duet_text::name::nearest;
use duet_text::problem::{did_you_mean, fault, quoted};

use crate::fields::FieldIndex;
use crate::grammar::conditions_of;
use crate::limit_table::PATH;
use crate::limits::{Counter, Limits};
use crate::operator::{GROUP, HAVING};
use crate::orders::order;

/// The member of `$group` with the keys; no aggregate can have this name.
const BY: &str = "by";
/// The longest name of a key or an aggregate, in bytes.
const LONGEST_NAME: usize = 64;

/// What a list with `$group` reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Grouping {
    /// The groups as documents: a shape of one node.
    pub shape: Shape,
    /// How many of its columns are keys; they are the first.
    pub keys: usize,
    /// Which groups.
    pub having: Expr,
    /// In which order, most significant first.
    pub order: Vec<OrderBy>,
}

/// Reads a `q` with `$group`; `None` for one without.
///
/// ```
/// use std::sync::Arc;
/// use duet_filter::{FieldIndex, Limits, grouping};
/// use duet_model::{Column, Relation, Shape, Type};
///
/// let integer = Type::Integer { bits: 64 };
/// let columns = vec![Column::new("id", integer.clone()), Column::new("points", integer)];
/// let shape = Arc::new(Shape::of_relation(&Relation::table("main", "driver", columns).into()));
/// let fields = FieldIndex::new(&shape);
/// let q = r#"{"$group":{"by":"points","n":{"$count":"*"}},"$having":{"n":{"$gt":1}}}"#;
/// let grouping = grouping(q, &shape, &fields, &Limits::default())?.unwrap();
/// let paths: Vec<_> = grouping.shape.fields().into_iter().map(|field| field.path).collect();
/// assert_eq!((paths, grouping.keys), (vec!["points".into(), "n".into()], 1));
/// # Ok::<_, duet_model::Error>(())
/// ```
///
/// # Errors
/// One of the `DUET-20xx` codes with the byte position in `text`, as [`crate::parse`].
pub fn grouping(
    text: &str,
    shape: &Arc<Shape>,
    fields: &FieldIndex,
    limits: &Limits,
) -> Result<Option<Grouping>> {
    if !text.contains(GROUP) {
        return Ok(None);
    }
    limits.check_bytes(text)?;
    let json = read(text, &FILTER, limits.effective_depth())?;
    let JsonKind::Object(members) = &json.kind else { return Ok(None) };
    let named = |name: &str| members.iter().find(|member| member.name == name);
    let Some(group) = named(GROUP) else { return Ok(None) };
    let mut nodes = Counter::new(limits);
    let own = [GROUP, HAVING, "$orderby"];
    let conditions = members.iter().filter(|member| !own.contains(&member.name.as_ref()));
    let filter = conditions_of(conditions, fields, &mut nodes, limits)?;
    let mut parts = Parts { fields, limits, nodes: &mut nodes, names: Vec::new() };
    let (keys, aggregates) = parts.read(&group.value)?;
    let names = parts.names;
    let filter = shape.over_joined_rows(filter);
    let count = keys.len();
    let groups = Groups { shape: Arc::clone(shape), filter, elements: None, keys, aggregates };
    let grouped = Shape::of_relation(&Arc::new(groups.relation(&names)));
    let grouped = Shape { style: shape.style, ..grouped };
    let of_groups = FieldIndex::new(&grouped).of_groups();
    let having = match named(HAVING).map(|having| (&having.value.kind, having.value.at)) {
        None => Expr::all(),
        Some((JsonKind::Object(members), _)) => {
            conditions_of(members, &of_groups, &mut nodes, limits)?
        }
        Some((other, at)) => {
            let message = format!("`$having` takes an object of conditions, not {}.", other.noun());
            return Err(fault(Code::FilterGrammar, at, message));
        }
    };
    let order = match named("$orderby") {
        Some(member) => order::read(&member.value, &of_groups, &mut nodes, limits)?,
        None => Vec::new(),
    };
    Ok(Some(Grouping { shape: grouped, keys: count, having, order }))
}

/// The parts of a `$group`.
struct Parts<'f, 'c> {
    fields: &'f FieldIndex,
    limits: &'f Limits,
    nodes: &'c mut Counter,
    /// The names of keys and aggregates.
    names: Vec<String>,
}

impl Parts<'_, '_> {
    fn read(&mut self, json: &Json<'_>) -> Result<(Vec<GroupedValue>, Vec<GroupAggregate>)> {
        let JsonKind::Object(members) = &json.kind else {
            let message = format!("`$group` takes an object, not {}.", json.kind.noun());
            return Err(fault(Code::FilterGrammar, json.at, message).hint(EXAMPLE));
        };
        let by = members.iter().find(|member| member.name == BY);
        let keys = by.map_or_else(|| Ok(Vec::new()), |by| self.keys(&by.value))?;
        let others = members.iter().filter(|member| member.name != BY);
        let aggregates: Vec<_> =
            others.map(|member| self.aggregate(member)).collect::<Result<_>>()?;
        if keys.is_empty() && aggregates.is_empty() {
            let message = "`$group` names neither keys nor aggregates.";
            return Err(fault(Code::FilterGrammar, json.at, message).hint(EXAMPLE));
        }
        Ok((keys, aggregates))
    }

    /// A path, an array of paths, or an object of names with paths.
    fn keys(&mut self, json: &Json<'_>) -> Result<Vec<GroupedValue>> {
        let path = |json: &Json<'_>| match &json.kind {
            JsonKind::Text(path) => Ok((path.to_string(), json.at)),
            other => {
                let message = format!("A key is the path of a field, not {}.", other.noun());
                Err(fault(Code::FilterGrammar, json.at, message).hint(EXAMPLE))
            }
        };
        let named: Vec<(String, (String, usize))> = match &json.kind {
            JsonKind::Object(members) => members
                .iter()
                .map(|member| Ok((member.name.to_string(), path(&member.value)?)))
                .collect::<Result<_>>()?,
            JsonKind::List(paths) => {
                let own = |json| path(json).map(|(path, at)| (path.clone(), (path, at)));
                paths.iter().map(own).collect::<Result<_>>()?
            }
            _ => vec![path(json).map(|(path, at)| (path.clone(), (path, at)))?],
        };
        named.into_iter().map(|(name, (path, at))| self.key(name, &path, at)).collect()
    }

    fn key(&mut self, name: String, path: &str, at: usize) -> Result<GroupedValue> {
        self.nodes.count(at)?;
        let field = self.field(path, at)?;
        let value = match field.json() {
            Some(inside) if !inside.path.is_empty() => {
                GroupedValue { value: Expr::Extracted(inside.clone(), Type::Json), ty: Type::Text }
            }
            _ => GroupedValue { value: field.value.clone(), ty: field.ty.clone() },
        };
        if !is_key(&value.ty) {
            return Err(misfit(&field, at, "cannot be a key of groups"));
        }
        // The name as it is declared, whatever its case in the request.
        let name = if name == path && field.json().is_none() { field.path } else { name };
        self.name(name, at)?;
        Ok(value)
    }

    /// `"total": {"$sum": "amount"}`
    fn aggregate(&mut self, member: &JsonMember<'_>) -> Result<GroupAggregate> {
        self.nodes.count(member.at)?;
        self.name(member.name.to_string(), member.at)?;
        let JsonKind::Object(functions) = &member.value.kind else {
            let message = format!(
                "The aggregate {} takes an object such as {{\"$sum\":\"amount\"}}, not {}.",
                quoted(&member.name),
                member.value.kind.noun()
            );
            return Err(fault(Code::FilterGrammar, member.value.at, message));
        };
        let [function] = functions.as_slice() else {
            let message = "An aggregate has one function, such as {\"$sum\":\"amount\"}.";
            return Err(fault(Code::FilterGrammar, member.value.at, message));
        };
        let known = GroupFunction::ALL.into_iter().find(|one| one.name() == function.name);
        let Some(of) = known else { return Err(unknown_function(function)) };
        let (JsonKind::Text(path), at) = (&function.value.kind, function.value.at) else {
            let message = format!("{} takes the path of a field.", quoted(&function.name));
            return Err(fault(Code::FilterGrammar, function.value.at, message));
        };
        if path == "*" && of == GroupFunction::Count {
            return Ok(GroupAggregate { function: of, of: None });
        }
        Ok(GroupAggregate { function: of, of: Some(self.operand(of, path, at)?) })
    }

    fn operand(&self, of: GroupFunction, path: &str, at: usize) -> Result<GroupedValue> {
        let field = self.field(path, at)?;
        let of_numbers = matches!(of, GroupFunction::Sum | GroupFunction::Average);
        let value = match field.json() {
            // Values inside JSON have no type but that which the function asks for.
            Some(inside) if !inside.path.is_empty() => {
                let (value, ty) = match of_numbers {
                    true => (Type::Decimal { scale: None }, Type::Decimal { scale: None }),
                    false => (Type::Json, Type::Text),
                };
                GroupedValue { value: Expr::Extracted(inside.clone(), value), ty }
            }
            _ => GroupedValue { value: field.value.clone(), ty: field.ty.clone() },
        };
        let is_ordered_json =
            field.json().is_some() && matches!(of, GroupFunction::Min | GroupFunction::Max);
        if is_ordered_json || of.result(&value.ty).is_none() {
            let problem = format!("is not of a type that `{}` takes", of.name());
            return Err(misfit(&field, at, &problem));
        }
        Ok(value)
    }

    fn field(&self, path: &str, at: usize) -> Result<Field> {
        let inside = || self.fields.inside(path);
        let field = match self.fields.find(path).cloned().or_else(inside) {
            Some(field) => field,
            None => self.fields.resolve(path).cloned().map_err(|e| e.at(Place::Offset(at)))?,
        };
        let depth = field.json().map_or(0, |field| field.path.len());
        self.limits.check(&PATH, depth, at)?;
        match field.repeated {
            true => Err(misfit(&field, at, "lies below an array, so it has no single value")),
            false => Ok(field),
        }
    }

    fn name(&mut self, name: String, at: usize) -> Result<()> {
        let problem = if name.is_empty() || name.len() > LONGEST_NAME {
            format!("The name of a key or an aggregate has 1 to {LONGEST_NAME} bytes.")
        } else if name.starts_with('$') {
            format!("{} is no name for an aggregate: names do not begin with `$`.", quoted(&name))
        } else if self.names.contains(&name) {
            format!("{} is the name of two keys or aggregates.", quoted(&name))
        } else {
            self.names.push(name);
            return Ok(());
        };
        Err(fault(Code::FilterGrammar, at, problem).hint(EXAMPLE))
    }
}

const EXAMPLE: &str = "As in {\"$group\":{\"by\":[\"country\"],\"n\":{\"$count\":\"*\"},\"total\":{\"$sum\":\"amount\"}}}; \
                       `by` may also be an object of names with paths.";

fn unknown_function(function: &JsonMember<'_>) -> Error {
    let names = GroupFunction::ALL.map(GroupFunction::name);
    let message = format!("There is no aggregate function {}.", quoted(&function.name));
    let hint = nearest(&function.name, names)
        .map_or_else(|| format!("The functions are {}.", names.join(" ")), did_you_mean);
    fault(Code::FilterOperator, function.at, message).hint(hint)
}

fn misfit(field: &Field, at: usize, problem: &str) -> Error {
    let message = format!("{} {problem}.", quoted(&field.path));
    fault(Code::FilterUnsupported, at, message)
}

#[cfg(test)]
mod tests {
    use duet_model::{DocumentStyle, ProfileRef};

    use super::*;
    use crate::tests::sample;

    fn of(text: &str) -> Result<Option<Grouping>> {
        let (shape, fields) = (Arc::new(sample::shape()), sample::fields());
        grouping(text, &shape, &fields, &Limits::default())
    }

    #[test]
    fn keys_and_aggregates_are_fields() {
        let grouping = of(
            r#"{"$group":{"by":["NAME"],"n":{"$count":"*"}},"$having":{"n":1},"$orderby":{"name":1}}"#,
        );
        let grouping = grouping.unwrap().unwrap();
        let fields: Vec<_> = grouping.shape.fields().into_iter().map(|one| one.path).collect();
        assert_eq!(fields, ["name", "n"]);
        assert_eq!((grouping.keys, grouping.order.len()), (1, 1));
        assert!(!grouping.having.is_all());
        assert!(of(r#"{"name":"$group"}"#).unwrap().is_none());
    }

    #[test]
    fn groups_have_the_style_of_their_rows() {
        let style = DocumentStyle::of_tables(ProfileRef::named("ords").unwrap());
        let shape = Shape { style, ..sample::shape() };
        let q = r#"{"$group":{"n":{"$count":"*"}}}"#;
        let found = grouping(q, &Arc::new(shape), &sample::fields(), &Limits::default());
        assert_eq!(found.unwrap().unwrap().shape.style, style);
    }

    #[test]
    fn unknown_fields_of_groups_are_not_those_of_rows() {
        let error = of(r#"{"$group":{"n":{"$count":"*"}},"$having":{"points":1}}"#).unwrap_err();
        assert!(error.message.starts_with("A group of "), "{error}");
    }

    #[test]
    fn mistakes_have_a_position() {
        for (text, code, at) in [
            (r#"{"$group":1}"#, Code::FilterGrammar, 10),
            (r#"{"$group":{}}"#, Code::FilterGrammar, 10),
            (r#"{"$group":{"by":[1]}}"#, Code::FilterGrammar, 17),
            (r#"{"$group":{"by":["nam"]}}"#, Code::FilterField, 17),
            (r#"{"$group":{"by":"name","name":{"$count":"*"}}}"#, Code::FilterGrammar, 23),
            (r#"{"$group":{"$n":{"$count":"*"}}}"#, Code::FilterGrammar, 11),
            (r#"{"$group":{"n":{"$cuont":"*"}}}"#, Code::FilterOperator, 16),
            (r#"{"$group":{"n":{"$sum":"name"}}}"#, Code::FilterUnsupported, 23),
            (r#"{"$group":{"n":{"$sum":"*"}}}"#, Code::FilterField, 23),
            (r#"{"$group":{"n":{"$count":"*"}},"$having":{"m":1}}"#, Code::FilterField, 42),
            (r#"{"$group":{"n":{"$count":"*"}},"$orderby":{"name":1}}"#, Code::FilterField, 43),
        ] {
            let error = of(text).unwrap_err();
            assert_eq!((error.code, error.place), (code, Some(Place::Offset(at))), "{text}");
        }
        let error = crate::parse(r#"{"$having":{}}"#, &sample::fields(), &Limits::default());
        assert_eq!(error.unwrap_err().code, Code::FilterContext);
    }
}
