//! The media types that aggregates of the database make of rows.

use duet_model::catalog::{ANY_MEDIA, MediaAggregate};
use duet_model::{Catalog, Column, MemberKind};

use crate::definition;
use crate::resources::resource::Resource;

/// The aggregates of a mount.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RowMedia(Vec<MediaAggregate>);

impl RowMedia {
    /// Those of a schema whose tables are served; those with the rights of their owners where the mount names them.
    pub(super) fn of(catalog: &Catalog, schema: &str, mount: &definition::Mount) -> Self {
        let is_served = |aggregate: &&MediaAggregate| {
            let is_named = mount.routines.contains(&aggregate.name);
            is_named || mount.all_tables && !aggregate.security_definer
        };
        let own = catalog.media_aggregates.iter().filter(|own| own.schema == schema);
        Self(own.filter(is_served).cloned().collect())
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The aggregate that answers with a media type for rows of a resource: one of its table, if whole rows are asked
    /// for, before one of rows of any columns; and one of any media type before that of this one.
    pub(crate) fn find(
        &self,
        resource: &Resource,
        media: &str,
        whole: bool,
    ) -> Option<&MediaAggregate> {
        let table = &resource.shape.root().table;
        let is_its = |own: &&MediaAggregate| {
            let of = own.of.as_ref();
            of.is_some_and(|of| (&of.schema, &of.name) == (&table.schema, &table.name))
        };
        let all = || self.0.iter();
        let named = |name: &str| all().filter(is_its).find(|own| own.media == name);
        let of_table = || named(ANY_MEDIA).or_else(|| named(media));
        let of_any = || all().find(|own| own.of.is_none() && own.media == media);
        match whole && shows_all(resource) {
            true => of_table().or_else(of_any),
            false => of_any(),
        }
    }
}

/// Whether a resource shows all columns of its table: an aggregate of its rows shows what it likes of them.
fn shows_all(resource: &Resource) -> bool {
    let root = resource.shape.root();
    let is_shown = |at: usize| {
        let shows = |kind: &MemberKind| matches!(kind, MemberKind::Column(own) if own.column == at && !own.hidden);
        root.members.iter().any(|member| shows(&member.kind))
    };
    let is_own = |column: &Column| column.computed_by.is_none();
    let mut own = root.table.columns.iter().enumerate().filter(|(_, column)| is_own(column));
    own.all(|(at, _)| is_shown(at))
}
