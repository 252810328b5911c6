//! Documents that are related by references: those that a document refers to, and those that refer to it.

use std::sync::Arc;

use crate::Collection;
use crate::declaration::{Reference, camel_case};

/// The documents at the other end of a reference.
#[derive(Clone, Copy, Debug)]
pub struct RelatedDocuments<'c> {
    /// The collection that has the reference.
    pub referring: &'c Collection,
    /// The reference.
    pub reference: &'c Reference,
    /// Their collection.
    pub collection: &'c Arc<Collection>,
    /// Whether they refer to the document, which then has any number of them.
    pub many: bool,
}

impl RelatedDocuments<'_> {
    /// The name under which searches find them.
    pub fn name(&self) -> String {
        let Reference { path, alias, inverse, .. } = self.reference;
        if self.many {
            let table = || camel_case(&self.referring.declaration().table);
            return inverse.clone().unwrap_or_else(table);
        }
        let last = path.rsplit('.').next().unwrap_or(path);
        alias.clone().unwrap_or_else(|| last.strip_suffix("Id").unwrap_or(last).to_owned())
    }

    fn is_named(&self) -> bool {
        let Reference { alias, inverse, .. } = self.reference;
        if self.many { inverse.is_some() } else { alias.is_some() }
    }

    /// Whether both go along the same reference, in whatever direction.
    pub fn is_along(&self, other: &RelatedDocuments<'_>) -> bool {
        std::ptr::eq(self.reference, other.reference)
    }
}

impl Collection {
    /// The related documents among those of `all` collections, each by the name that searches use. A name
    /// that was not given and is that of a member, or of other related documents, is left out. Where given names hide
    /// members, the first of equal names that were given comes before others.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use duet_collection::{Collection, Declaration, Reference};
    ///
    /// let schema = r#"{"properties": {"id": {"type": "string"}, "orderId": {"type": "string"}}}"#;
    /// let references = vec![Reference::new("orderId", "orders")];
    /// let lines = Declaration { references, ..Declaration::new("order-lines") };
    /// let all = [Declaration::new("orders"), lines].map(|it| Arc::new(Collection::new(it, schema).unwrap()));
    /// let names = |of: &Collection| -> Vec<_> { of.related(&all).iter().map(|it| it.name()).collect() };
    /// assert_eq!((names(&all[0]), names(&all[1])), (vec!["orderLines".to_owned()], vec!["order".to_owned()]));
    /// ```
    pub fn related<'c>(&'c self, all: &'c [Arc<Collection>]) -> Vec<RelatedDocuments<'c>> {
        let (own, all_of) = (&self.declaration().table, |table: &str| {
            all.iter().find(|one| one.declaration().table == table)
        });
        let to = self.declaration().references.iter().filter_map(|reference| {
            let collection = all_of(&reference.table)?;
            Some(RelatedDocuments { referring: self, reference, collection, many: false })
        });
        let from = all.iter().flat_map(|collection| {
            let references = collection.declaration().references.iter();
            let references = references.filter(|reference| reference.table == *own);
            references.map(|reference| RelatedDocuments {
                referring: collection,
                reference,
                collection,
                many: true,
            })
        });
        let is_offered = |one: &RelatedDocuments<'_>| one.is_named() || !one.reference.only_named;
        let found: Vec<_> = to.chain(from).filter(is_offered).collect();
        let hides = self.declaration().search.profile.aliases_hide_members();
        let is_taken = |(at, one): &(usize, &RelatedDocuments<'_>)| {
            let name = one.name();
            let is_equal = |other: &&RelatedDocuments<'_>| other.name() == name;
            if hides && one.is_named() {
                return found[..*at].iter().filter(is_equal).any(RelatedDocuments::is_named);
            }
            let others = found.iter().filter(is_equal);
            others.clone().count() > 1
                && !(one.is_named() && others.filter(|it| it.is_named()).count() == 1)
                || self.has_member(&name)
        };
        let free = found.iter().enumerate().filter(|one| !is_taken(one));
        free.map(|(_, one)| *one).collect()
    }

    /// Names of documents along several references, each with these references. A name of directly related
    /// documents comes first, and of equal names the first.
    pub fn along_paths<'c>(
        &'c self,
        all: &'c [Arc<Collection>],
    ) -> Vec<(&'c str, Vec<RelatedDocuments<'c>>)> {
        let direct: Vec<String> = self.related(all).iter().map(RelatedDocuments::name).collect();
        let own = &self.declaration().table;
        let to = self
            .declaration()
            .path_keys
            .iter()
            .filter_map(|key| Some((key.alias.as_deref()?, self.steps(&key.steps, all)?)));
        let from = all.iter().flat_map(|collection| {
            let keys = collection.declaration().path_keys.iter();
            let keys = keys.filter(|key| key.table == *own);
            keys.filter_map(|key| {
                let steps = collection.steps(&key.steps, all)?;
                let back = steps.into_iter().rev().filter_map(|step| {
                    let table = &step.referring.declaration().table;
                    let collection = all.iter().find(|one| one.declaration().table == *table)?;
                    Some(RelatedDocuments { collection, many: true, ..step })
                });
                Some((key.inverse.as_deref()?, back.collect::<Vec<_>>()))
            })
        });
        let mut found: Vec<(&str, Vec<RelatedDocuments<'_>>)> = Vec::new();
        for (name, steps) in to.chain(from) {
            let is_known = found.iter().any(|(known, _)| *known == name);
            if !is_known && !direct.iter().any(|known| known == name) {
                found.push((name, steps));
            }
        }
        found
    }

    /// The references at these paths, one after the other.
    fn steps<'c>(
        &'c self,
        paths: &[String],
        all: &'c [Arc<Collection>],
    ) -> Option<Vec<RelatedDocuments<'c>>> {
        let mut at = self;
        let mut found = Vec::new();
        for path in paths {
            let references = &at.declaration().references;
            let reference = references.iter().find(|one| one.path == *path)?;
            let to = all.iter().find(|one| one.declaration().table == reference.table)?;
            found.push(RelatedDocuments { referring: at, reference, collection: to, many: false });
            at = to;
        }
        Some(found)
    }

    /// Whether the documents have a member of this name.
    pub(crate) fn has_member(&self, name: &str) -> bool {
        self.fields().iter().any(|field| field.path.split('.').next() == Some(name))
    }
}

#[cfg(test)]
mod tests {
    use duet_model::ProfileRef;

    use super::*;
    use crate::Declaration;

    const SCHEMA: &str = r#"{"properties": {"id": {"type": "string"}, "billTo": {"type": "string"},
        "shipTo": {"type": "string"}, "parentId": {"type": "string"}}}"#;

    fn all(references: Vec<Reference>) -> Vec<Arc<Collection>> {
        let orders = Declaration { references, ..Declaration::new("orders") };
        let declared = [Declaration::new("addresses"), orders];
        declared.map(|one| Arc::new(Collection::new(one, SCHEMA).unwrap())).into()
    }

    fn names(of: usize, all: &[Arc<Collection>]) -> Vec<String> {
        all[of].related(all).iter().map(RelatedDocuments::name).collect()
    }

    #[test]
    fn equal_names_are_given_or_left_out() {
        let bill = Reference::new("billTo", "addresses");
        let ship = Reference::new("shipTo", "addresses");
        let unnamed = all(vec![bill.clone(), ship.clone()]);
        assert_eq!((names(0, &unnamed), names(1, &unnamed)), (vec![], vec![]));
        let named = |one, alias: &str, inverse: Option<&str>| Reference {
            alias: Some(alias.into()),
            inverse: inverse.map(Into::into),
            ..one
        };
        let ship = named(ship, "shipping", Some("shipped"));
        let given = all(vec![named(bill, "billing", None), ship]);
        assert_eq!(names(0, &given), ["orders", "shipped"]);
        assert_eq!(names(1, &given), ["billing", "shipping"]);
    }

    #[test]
    fn rmb_prefers_given_names_to_members() {
        let bill =
            Reference { alias: Some("shipTo".into()), ..Reference::new("billTo", "addresses") };
        let of_profile = |name| {
            let mut orders =
                Declaration { references: vec![bill.clone()], ..Declaration::new("orders") };
            orders.search.profile = ProfileRef::named(name).unwrap();
            Collection::new(orders, SCHEMA)
        };
        let refused = of_profile("native").unwrap_err();
        assert_eq!(refused[0].message, "The documents have a member `shipTo`.");
        let addresses = Arc::new(Collection::new(Declaration::new("addresses"), SCHEMA).unwrap());
        let all = [addresses, Arc::new(of_profile("rmb").unwrap())];
        assert_eq!(names(1, &all), ["shipTo"]);
    }

    #[test]
    fn names_lead_along_several_references() {
        let refer =
            |path: &str, table: &str| Reference { only_named: true, ..Reference::new(path, table) };
        let key = crate::PathKey {
            steps: vec!["billTo".into(), "parentId".into()],
            table: "addresses".into(),
            alias: Some("town".into()),
            inverse: Some("letters".into()),
        };
        let mut letters = Declaration::new("letters");
        (letters.references, letters.path_keys) = (vec![refer("billTo", "houses")], vec![key]);
        let mut houses = Declaration::new("houses");
        houses.references = vec![refer("parentId", "addresses")];
        let declared = [Declaration::new("addresses"), houses, letters];
        let all = declared.map(|one| Arc::new(Collection::new(one, SCHEMA).unwrap()));
        let found = |of: usize| -> Vec<String> {
            let shown = |(name, steps): (&str, Vec<RelatedDocuments<'_>>)| {
                let steps: Vec<_> = steps
                    .iter()
                    .map(|it| format!("{}{}", it.collection.declaration().table, it.many))
                    .collect();
                format!("{name} {}", steps.join(" "))
            };
            all[of].along_paths(&all).into_iter().map(shown).collect()
        };
        assert_eq!(found(2), ["town housesfalse addressesfalse"]);
        assert_eq!(found(0), ["letters housestrue letterstrue"]);
        // Without given names there are no others.
        assert_eq!(names(2, &all), [""; 0]);
    }

    #[test]
    fn a_reference_to_the_same_table_goes_both_ways() {
        let parent = Reference::new("parentId", "orders");
        let all = all(vec![parent]);
        assert_eq!(names(1, &all), ["parent", "orders"]);
        let related = all[1].related(&all);
        assert!(related[0].is_along(&related[1]) && !related[0].many && related[1].many);
    }
}
