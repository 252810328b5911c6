-- A note as its owner sees it. The owner is the database's matter: see schema.sql.
CREATE JSON RELATIONAL DUALITY VIEW notes AS
note @insert @update @delete {
    _id: id
    text: text
};
