//! Random queries: their parts, and how CQL writes them.

use std::fmt::Write as _;

use proptest::prelude::*;
use proptest::sample::select;

use super::world::{Field, Kind, OF_LINE, OF_ORDER, Place, RANGE};

/// A part of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Char(char),
    /// `*`.
    Any,
    /// `?`.
    One,
}

/// A condition on a field.
#[derive(Clone, Debug)]
pub(super) struct Test {
    pub(super) place: Place,
    pub(super) field: Field,
    pub(super) relation: &'static str,
    pub(super) modifiers: &'static str,
    /// The term; the values between blanks for relations that take several.
    pub(super) term: Vec<Vec<Piece>>,
}

/// A query without its order.
#[derive(Clone, Debug)]
pub(super) enum Query {
    All,
    Test(Test),
    /// Two conditions on one line or one element.
    Same(Test, Test),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
    Not(Box<Self>, Box<Self>),
}

/// A key of an order.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) place: Place,
    pub(super) field: Field,
    pub(super) modifiers: &'static str,
    pub(super) descending: bool,
}

/// What is requested: a list by its path, a query, an order, and a page of the result.
#[derive(Clone, Debug)]
pub(super) struct Search {
    pub(super) list: &'static str,
    pub(super) query: Query,
    pub(super) order: Vec<Key>,
    pub(super) offset: usize,
    pub(super) limit: usize,
}

impl Search {
    /// The query as CQL.
    pub(super) fn cql(&self) -> String {
        let mut text = self.query.cql();
        for (at, key) in self.order.iter().enumerate() {
            let begin = if at == 0 { " sortBy " } else { " " };
            let direction = if key.descending { "/descending" } else { "" };
            let name = name(key.place, &key.field);
            write!(text, "{begin}{name}{}{direction}", key.modifiers).unwrap();
        }
        text
    }
}

fn name(place: Place, field: &Field) -> String {
    let before = match place {
        Place::Own | Place::Row => "",
        Place::Lines => "lines.",
        Place::Order => "order.",
    };
    format!("{before}{}", field.path)
}

impl Query {
    fn cql(&self) -> String {
        match self {
            Self::All => "cql.allRecords=1".to_owned(),
            Self::Test(test) => test.cql(),
            Self::Same(a, b) => format!("({} prox/unit=element {})", a.cql(), b.cql()),
            Self::And(a, b) => format!("({} and {})", a.cql(), b.cql()),
            Self::Or(a, b) => format!("({} or {})", a.cql(), b.cql()),
            Self::Not(a, b) => format!("({} not {})", a.cql(), b.cql()),
        }
    }
}

impl Test {
    fn cql(&self) -> String {
        let mut term = String::from("\"");
        for (at, value) in self.term.iter().enumerate() {
            term += if at > 0 { " " } else { "" };
            for piece in value {
                match piece {
                    Piece::Any => term.push('*'),
                    Piece::One => term.push('?'),
                    Piece::Char(char) => {
                        if matches!(char, '*' | '?' | '^' | '\\' | '"') {
                            term.push('\\');
                        }
                        term.push(*char);
                    }
                }
            }
        }
        format!("{} {}{} {term}\"", name(self.place, &self.field), self.relation, self.modifiers)
    }
}

fn plain(text: &str) -> Vec<Piece> {
    text.chars().map(Piece::Char).collect()
}

/// A text in which `*` and `?` mask.
fn masked(text: &str) -> Vec<Piece> {
    let piece = |char| match char {
        '*' => Piece::Any,
        '?' => Piece::One,
        char => Piece::Char(char),
    };
    text.chars().map(piece).collect()
}

type Term = BoxedStrategy<Vec<Vec<Piece>>>;

/// A value of the field, whole.
fn value(field: &Field) -> BoxedStrategy<Vec<Piece>> {
    let values: Vec<_> = field.terms().map(|text| plain(&text)).collect();
    select(values).boxed()
}

fn one(value: impl Strategy<Value = Vec<Piece>> + 'static) -> Term {
    value.prop_map(|value| vec![value]).boxed()
}

/// Values between blanks, which have none themselves.
fn several(field: &Field, count: std::ops::Range<usize>) -> Term {
    let has_blank = |text: &String| text.is_empty() || text.contains(' ');
    let values: Vec<_> =
        field.terms().filter(|it| !has_blank(it)).map(|text| plain(&text)).collect();
    prop::collection::vec(select(values), count).boxed()
}

/// Whole texts, some of them masked.
fn texts(field: &Field) -> Term {
    let masks = [
        "o*", "*e", "?", "*", "?pen", "é*", "*a*", "E*", "*\"*", "*\\*", "a?1", "", "É*E", "*pen*",
        "*wat*ter", "*ECOL*", "*o'b?i*",
    ];
    let masked = select(masks.map(masked).to_vec());
    one(prop_oneof![3 => value(field), 2 => masked])
}

/// Words that texts have, or their beginnings.
fn words() -> Term {
    let words = [
        "open", "Water", "ecole", "ÉCOLE", "o", "brien", "50", "off", "hi", "say", "wa*", "o*", "x",
    ];
    prop::collection::vec(select(words.map(masked).to_vec()), 1..4).boxed()
}

/// A relation with modifiers, and what terms it takes.
type Relation = BoxedStrategy<(&'static str, &'static str, Vec<Vec<Piece>>)>;

fn with(relations: &[&'static str], modifiers: &[&'static str], term: &Term) -> Relation {
    (select(relations.to_vec()), select(modifiers.to_vec()), term.clone()).boxed()
}

const ORDERS: &[&str] = &["<", "<=", ">", ">="];
const EXACTLY: &[&str] = &["==", "<>"];

/// Relations that any field has: there is a value, or a document.
fn loosely(relation: &'static str) -> Relation {
    prop_oneof![
        with(&[relation], &[""], &one(Just(vec![]))),
        with(&[relation], &[""], &one(Just(vec![Piece::Any])))
    ]
    .boxed()
}

fn of_text(field: &Field) -> Relation {
    let folds =
        ["", "", "/respectCase", "/respectAccents", "/respectCase/respectAccents", "/ignoreCase"];
    let whole = with(EXACTLY, &folds, &texts(field));
    let string = with(&["="], &["/string"], &texts(field));
    let literal = with(EXACTLY, &["/unmasked", "/substring"], &one(value(field)));
    let order = with(ORDERS, &folds, &one(value(field)));
    let within = with(&["within"], &folds, &several(field, 2..3));
    let found = with(&["=", "adj", "all", "any"], &["", "/respectAccents"], &words());
    match field.kind {
        Kind::Exact => prop_oneof![4 => whole, 1 => string, 1 => literal, 2 => order, 1 => within].boxed(),
        _ => prop_oneof![4 => whole, 1 => string, 1 => literal, 2 => order, 1 => within, 3 => found, 1 => loosely("=")].boxed(),
    }
}

fn relation(field: &Field) -> Relation {
    let whole = one(value(field));
    match field.kind {
        Kind::Text | Kind::Exact | Kind::Label => of_text(field),
        Kind::Number => {
            let relations = [EXACTLY, ORDERS, &["="]].concat();
            let one = with(&relations, &["", "/number"], &whole);
            let many = with(&["any", "all"], &[""], &several(field, 1..4));
            let within = with(&["within"], &[""], &several(field, 2..3));
            prop_oneof![5 => one, 1 => many, 1 => within, 1 => loosely("=")].boxed()
        }
        Kind::Boolean => {
            prop_oneof![4 => with(&["==", "=", "<>"], &[""], &whole), 1 => loosely("=")].boxed()
        }
        Kind::Moment => {
            let relations = [EXACTLY, ORDERS].concat();
            let one = with(&relations, &["", "/isoDate"], &whole);
            prop_oneof![4 => one, 1 => with(&["within"], &["", "/isoDate"], &several(field, 2..3))]
                .boxed()
        }
        Kind::Range => {
            let both = several(field, 2..3).prop_map(|mut ends| {
                ends.sort_by(|a, b| number(a).total_cmp(&number(b)));
                ends
            });
            let open = (both.clone(), 0..2_usize).prop_map(|(mut ends, at)| {
                ends[at] = vec![Piece::Any];
                ends
            });
            let both = prop_oneof![3 => both, 1 => open].boxed();
            let one = several(field, 1..2);
            prop_oneof![
                3 => with(&["within", "encloses"], &["", "/partial"], &both),
                1 => with(&["encloses"], &["", "/partial"], &one)
            ]
            .boxed()
        }
        Kind::Element => {
            let relations = [EXACTLY, ORDERS].concat();
            let one = with(&relations, &["", "/string"], &whole);
            let masks = with(EXACTLY, &[""], &texts(field));
            let many = with(&["any", "all"], &[""], &several(field, 1..3));
            prop_oneof![4 => one, 2 => masks, 1 => many, 1 => with(&["within"], &[""], &several(field, 2..3))].boxed()
        }
    }
}

fn number(text: &[Piece]) -> f64 {
    let char = |piece: &Piece| match piece {
        Piece::Char(char) => *char,
        Piece::Any | Piece::One => '0',
    };
    text.iter().map(char).collect::<String>().parse().unwrap()
}

fn test_of(place: Place, field: Field) -> BoxedStrategy<Test> {
    let made = relation(&field);
    made.prop_map(move |(relation, modifiers, term)| Test {
        place,
        field,
        relation,
        modifiers,
        term,
    })
    .boxed()
}

fn test_among(fields: Vec<(Place, Field)>) -> BoxedStrategy<Test> {
    select(fields).prop_flat_map(|(place, field)| test_of(place, field)).boxed()
}

/// What searches of a list can name.
fn fields(list: &str) -> Vec<(Place, Field)> {
    let (order, line) = (OF_ORDER.iter().chain([&RANGE]), OF_LINE.iter());
    let at = |place| move |field: &Field| (place, *field);
    match list {
        "orders" => order.map(at(Place::Own)).chain(line.map(at(Place::Lines))).collect(),
        "lines" => line.map(at(Place::Own)).chain(order.map(at(Place::Order))).collect(),
        _ => {
            let rows = line.clone().map(at(Place::Row));
            order.map(at(Place::Own)).chain(rows).chain(line.map(at(Place::Lines))).collect()
        }
    }
}

fn query(list: &'static str) -> BoxedStrategy<Query> {
    let known = fields(list);
    let of_element = |is_it: fn(&(Place, Field)) -> bool| {
        let fields: Vec<_> = known.iter().copied().filter(is_it).collect();
        (!fields.is_empty()).then(|| {
            let pair = (test_among(fields.clone()), test_among(fields));
            pair.prop_map(|(a, b)| Query::Same(a, b)).boxed()
        })
    };
    let lines = of_element(|(place, field)| *place == Place::Lines && field.kind != Kind::Element);
    let contacts =
        of_element(|(place, field)| *place == Place::Own && field.path.starts_with("contacts"));
    let mut leaves = vec![(1, Just(Query::All).boxed())];
    leaves.push((10, test_among(known.clone()).prop_map(Query::Test).boxed()));
    leaves.extend([lines, contacts].into_iter().flatten().map(|pair| (1, pair)));
    let leaf = prop::strategy::Union::new_weighted(leaves);
    leaf.prop_recursive(3, 8, 2, |inner| {
        let pair = (inner.clone(), inner).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
        prop_oneof![
            pair.clone().prop_map(|(a, b)| Query::And(a, b)),
            pair.clone().prop_map(|(a, b)| Query::Or(a, b)),
            pair.prop_map(|(a, b)| Query::Not(a, b)),
        ]
    })
    .boxed()
}

fn key(list: &'static str) -> impl Strategy<Value = Key> {
    let sorts = |(place, field): &(Place, Field)| {
        let has_order = !matches!(field.kind, Kind::Element | Kind::Range);
        matches!(place, Place::Own | Place::Order) && has_order
    };
    let fields: Vec<_> = fields(list).into_iter().filter(sorts).collect();
    let folds = ["", "", "/respectCase", "/respectAccents", "/respectCase/respectAccents"];
    (select(fields), select(folds.to_vec()), any::<bool>()).prop_map(
        |((place, field), fold, descending)| {
            let modifiers = if field.kind == Kind::Text { fold } else { "" };
            Key { place, field, modifiers, descending }
        },
    )
}

pub(super) fn search() -> impl Strategy<Value = Search> {
    select(vec!["orders", "lines", "orders-and-lines"]).prop_flat_map(|list| {
        let order = prop::collection::vec(key(list), 0..3);
        (query(list), order, 0..4_usize, 1..4_usize).prop_map(
            move |(query, order, offset, limit)| Search { list, query, order, offset, limit },
        )
    })
}
