//! The cause of each error code and what to do about it: what the page of a problem and the manual say.

use super::error::Code;

/// What an error code means, beyond its title. Both are whole sentences, with names between backticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// Why requests get this error.
    pub cause: &'static str,
    /// What clients can do, or the operator.
    pub cure: &'static str,
}

macro_rules! remedies {
    ($($code:ident: $cause:literal => $cure:literal;)*) => {
        impl Code {
            /// The cause of the error and its cure.
            pub fn remedy(self) -> Remedy {
                match self {
                    $(Self::$code => Remedy { cause: $cause, cure: $cure },)*
                }
            }
        }
    };
}

remedies! {
    NotServed: "No resource, service or part of the server has this path, or the caller may not know of it."
        => "Check the spelling and the mount; `metadata-catalog/` below the mount lists what the caller may read.";
    NoSuchItem: "The resource exists, and no row of it has this key."
        => "Check the key, or search for the item by a filter on the collection.";
    MethodNotAllowed: "The path is served, but not with this method."
        => "Use one of the methods that the header `Allow` of the response lists.";
    BadKey: "The last part of the path has another number of values than the key, or one that the key's type does not allow."
        => "Give the values of the key in its order, joined by commas and each percent-encoded.";
    BadParameter: "A parameter of the query string is unknown, is given twice or has a value that is not possible."
        => "Correct the parameter that `parameter` in `errors` names; `hint` may have the nearest name.";
    BadRequest: "The request line, a header or an escape in the path is malformed."
        => "Send valid HTTP/1.1, and percent-encode the path and the query.";
    NotAcceptable: "The header `Accept` excludes every media type in which this is served."
        => "Add one of the types that `detail` lists, or leave `Accept` out.";
    UriTooLong: "The path and query are longer than the setting `uri_bytes` allows."
        => "Send the filter in the body of a `POST` to `search` below the collection.";
    HeadersTooLarge: "The request line and headers together, or their number, are above the limit of the server."
        => "Send fewer or shorter headers; `header_bytes` is the setting.";
    BodyTooLarge: "The body is larger than the setting `body_bytes`, or `load_bytes` for a bulk load."
        => "Send less at once, or load rows in bulk with `batchload`.";
    UnsupportedMediaType: "`Content-Type` is missing or names a format that this path does not take."
        => "Send one of the types that `detail` lists, such as `application/json`.";
    BodyTimeout: "The client paused for longer than `header_timeout` while it sent the body."
        => "Send the body without long pauses; on slow networks, send less at once.";
    SearchBody: "The body of a search is not a JSON object, or one of its members is unknown or has the wrong type."
        => "Send an object such as `{\"q\":{\"name\":{\"$like\":\"A%\"}},\"limit\":10}`; `pointer` leads to the mistake.";
    ExpandUnknown: "`expand` names no foreign key of the resource, or one that leads to a resource which the caller may not read."
        => "Use a name that the resource's entry in `metadata-catalog/` lists under `expand`.";
    ExpandLimit: "`expand` names more levels or tables than the server allows."
        => "Expand less at once; `expand_depth` and `expand_relations` are the settings.";
    ExpandRows: "An array of related rows is longer than the setting `expand_rows`."
        => "Read the collection of these rows with a filter, page by page.";
    AmbiguousKey: "The key has no type in SQLite, and one row has the number and another one the text; or a child table of PostgreSQL holds the key of a row of its parent again."
        => "Read and change these rows by a filter, such as `?q={\"id\":5}` for the number and `?q={\"id\":\"5\"}` for the text; then give one of them another key.";
    TransferCoding: "The body has a transfer coding other than `chunked`."
        => "Send it with `Content-Length`, or as `chunked`.";
    LiveRefused: "The request wants live changes (`Accept: text/event-stream`) of something that cannot be followed."
        => "Leave out what `detail` names, or follow another resource; the manual's page on live changes has the list.";
    LiveTooLarge: "The filter of a subscription selects more documents than the setting `live_documents` allows."
        => "Narrow the filter, or raise the setting.";
    LiveLimit: "As many subscriptions are open as `live_subscriptions` allows, or as many filters are followed as `live_unindexed` allows."
        => "Try again later, or add a condition `=` on a column of the resource; the operator may raise the setting.";
    LiveClientLimit: "The client has as many subscriptions as `live_client_subscriptions` allows."
        => "Close some, or follow several documents by one filter.";
    ViewEventsGone: "Events of a view behind this one were removed, which the setting `view_event_retention` bounds, or are those of another database."
        => "Read with `after=end` where the events are now, read the view anew, and go on from there.";
    ViewEventsNotPrepared: "A view has NOTIFY, and the database has no place for its events, or the server may not add any."
        => "The operator runs `duet webhook prepare`, with `--server-role` where the server has a role of its own.";
    FilterSyntax: "The value of `q` is not JSON."
        => "Correct it at the byte that `position` gives, and percent-encode it.";
    FilterGrammar: "`q` is JSON, but not a filter."
        => "Send an object whose members are fields with values or operators, such as `{\"points\":{\"$gte\":10}}`.";
    FilterOperator: "A member that begins with `$` is no operator."
        => "Use an operator of the manual's list; `hint` may have the nearest one.";
    FilterField: "The filter or order names a field that the resource does not have."
        => "Use a field of the resource, with dots below objects and arrays; `hint` may have the nearest one.";
    FilterOperand: "A value in the filter has a type that its field or operator cannot be compared with."
        => "Give a value of the type that `detail` names.";
    FilterContext: "An operator such as `$gt` is not below the field that it is about."
        => "Write it below the field: `{\"points\":{\"$gt\":10}}`.";
    FilterLimit: "The filter has more bytes, levels, conditions, order terms, values or characters in a pattern than the server allows."
        => "Split it into several requests; the settings begin with `filter_`.";
    FilterUnsupported: "The filter uses something that Duet deliberately does not offer."
        => "Follow the `hint` in `errors`.";
    NulCharacter: "A text contains the character U+0000, which databases do not store."
        => "Remove the character.";
    CqlSyntax: "The value of `query` is not CQL."
        => "Correct it at the byte that `position` gives.";
    NoIndex: "The resource refuses filters that no index serves, because they would read every row."
        => "Filter by an indexed field; `explain=1` shows the index of each condition.";
    ViewSyntax: "A file that defines a duality view cannot be read."
        => "Correct it at the line and column of the message; `duet check` finds all mistakes at once.";
    ViewTable: "A duality view names a table or view that the database does not have."
        => "Correct the name in the file, or make the table.";
    ViewColumn: "A duality view names a column that its table does not have."
        => "Correct the name in the file; the message has the nearest one.";
    ViewJoin: "No foreign key joins two tables of a duality view, or several do."
        => "State the join in the file, by the columns or by a condition.";
    ViewAnnotation: "An annotation of a duality view is unknown, is given twice or contradicts another one."
        => "Correct it in the file at the place of the message.";
    ViewIdentity: "A duality view does not show the columns that identify a row, so that it cannot be read back or written."
        => "Add the key's columns to the view.";
    ViewDuplicate: "Two members of a duality view have one name, or a table has two places that exclude each other."
        => "Rename or remove one of them.";
    ViewLimit: "A duality view has more levels or tables than Duet serves."
        => "Split it into several views.";
    ViewPredicate: "The condition of a duality view uses something that is not allowed there."
        => "Write it with what the manual's page on duality views lists.";
    ServiceStatement: "A statement of a service names what the database does not have, or has other parameters than its file declares."
        => "Correct the file of the service; the server's log has the message of the database.";
    BodySyntax: "The body is not JSON, or an object in it has a member twice."
        => "Correct it at the byte or pointer that `errors` gives.";
    BodyDepth: "Objects and arrays in the body are nested deeper than the server allows."
        => "Send a flatter document.";
    UnknownMember: "The body has a member that documents of this resource do not have."
        => "Remove it, or correct its name; `hint` may have the nearest one.";
    MissingMember: "The body lacks a member that must be given."
        => "Add the member that `pointer` names.";
    MemberValue: "A value has the wrong JSON type, or does not fit the type of its column."
        => "Give a value of the type that `detail` names.";
    KeyMismatch: "The key in the body is another one than in the path, and keys do not change."
        => "Leave the key out of the body, or send the request to the item's own path.";
    NotInsertable: "The write would make a row of a table that the definition does not let be inserted to here."
        => "Refer to a row that exists, or make it through its own resource.";
    NotDeletable: "The write would delete a row that the definition does not let be deleted here."
        => "Keep the row in the document, or delete it through its own resource.";
    NotUpdatable: "The write would change a member that is read-only here."
        => "Send its stored value or leave it out, or change it through its own resource.";
    CannotUnlink: "A row was left out of an array, but it cannot be without its parent."
        => "Delete the row through its own resource, or keep it in the document.";
    Contradiction: "The body has the same row in two places, with different values."
        => "Give the row the same values in both places.";
    OutsideView: "With these values the row would not be one of those that the view shows."
        => "Keep the values that the view's condition is about, or write through the table.";
    PreconditionFailed: "The document is not in the state that `If-Match`, `If-None-Match` or `_metadata.etag` names: somebody else changed it."
        => "Read it again, repeat the change, and send it with the new etag.";
    PreconditionRequired: "This server takes changes only with the etag of what was read."
        => "Send `If-Match` with the `ETag` of the document.";
    RowRefused: "The database changed no row and reported no error, as rules and triggers may do."
        => "Ask the operator of the database which rule or trigger is in the way.";
    TooManyDocuments: "The request is about more documents than one request may change."
        => "Use a narrower filter or smaller arrays; `max_operations` is the setting.";
    TransactionOperation: "An operation of the transaction is malformed, so that none was done."
        => "Correct the operation that `pointer` names.";
    BodyNodes: "The body has more values than the server reads at once."
        => "Send it in parts, or load rows in bulk with `batchload`.";
    OutsideLimits: "A value is outside of the limits that the service declares for its parameter."
        => "Give a value within the limits that `detail` states.";
    IdempotencyKey: "The header `Idempotency-Key` has characters that are not allowed, or is too long."
        => "Send a new random text for each request, such as a UUID in double quotes.";
    IdempotencyMismatch: "The key was sent before with another method, path or body."
        => "Use a new key for each different request.";
    IdempotencyInProgress: "The first request with this key has not been answered yet."
        => "Wait, and send the same request again.";
    IdempotencyNotPrepared: "The table in which Duet keeps answers by their keys is missing."
        => "The operator runs `duet service prepare`.";
    IdempotencyAnswer: "The answer is larger than what is kept with a key, so that nothing was done."
        => "Send `Prefer: return=minimal`, or leave the key out.";
    IdempotencyNotTaken: "Writes of this resource cannot be kept with a key."
        => "Leave the header `Idempotency-Key` out.";
    MemberGenerated: "The member is computed whenever its row is written, and the body gives it."
        => "Leave it out; the response has its value.";
    RuleViolation: "The view has a rule on its documents, and the written one does not keep it."
        => "Correct the member that `pointer` in `errors` names; the operator knows the rule.";
    JournalFull: "Acknowledged rows have filled the room of the journal before the database took them."
        => "Try again after `Retry-After`; the operator checks whether the database can be reached.";
    JournalUnavailable: "The files of the journal cannot be opened, read or written."
        => "Write without `Prefer: respond-async`; the operator finds the cause in the server's log.";
    JournalElsewhere: "The rows were acknowledged by another host, whose journal this one cannot read."
        => "Ask the host that acknowledged them.";
    NoSuchSequence: "No rows with these sequence ids were acknowledged, or they were too long ago."
        => "Use the address from the header `Location` of the 202.";
    CommitClass: "The resource does not allow the commit class of `Prefer: commit=`."
        => "Use one of the classes that its entry in `metadata-catalog/` lists.";
    JournalMissing: "Files of the journal are not where they were, and rows in them were acknowledged."
        => "The operator brings them back, or accepts the loss by `duet journal accept-loss`; write without `Prefer: respond-async`.";
    DocumentSchema: "The document violates the JSON Schema of its collection."
        => "Correct the members that `errors` names; `metadata-catalog/` has the schema.";
    DocumentVersion: "The `_version` of the document is not the stored one: somebody else changed it."
        => "Read it again, repeat the change, and send the new `_version`.";
    UniqueViolation: "Another row has the same value in columns that are unique together."
        => "Give another value, or change the row that has it.";
    ForeignKeyViolation: "The row refers to one that does not exist, or others refer to the one that would be deleted."
        => "Make the referenced row first, or remove what refers to it.";
    CheckViolation: "A value violates a check constraint of its table."
        => "Give a value within the rule; the resource's schema has those that can be expressed in it.";
    NotNullViolation: "A column that must have a value would be NULL."
        => "Give the member that `pointer` names a value.";
    ExclusionViolation: "Another row excludes this one, such as a booking of the same time."
        => "Give values that do not overlap with those of other rows.";
    TriggerRefused: "A trigger or function of the database raised an error."
        => "Ask the operator of the database for the rule; resources and routines with `raised_messages` send its text.";
    DatabaseReadOnly: "The database is a standby or a file that can only be read."
        => "Send writes to a server of the primary.";
    WriteConflict: "Concurrent writes of the same rows made every attempt fail. Nothing was changed."
        => "Try again after `Retry-After`.";
    OutcomeUnknown: "The connection to the database was lost during the commit."
        => "Read the document before you repeat the request, or use an idempotency key.";
    RowSecurity: "The row security of the database does not let the caller's role write this row."
        => "Write a row that the policy allows, or ask the operator for another role.";
    NotWritable: "The column is computed, or the view cannot be written."
        => "Leave the member out, or write through the table.";
    KeysExhausted: "The sequence or the row numbers (`AUTOINCREMENT`) that give new rows their keys have reached their end."
        => "The operator widens the key's type and its sequence, or restarts the sequence; until then send the key with the row, where the column takes one.";
    LoadSyntax: "The body of the load is neither CSV nor JSON of the type that `Content-Type` names."
        => "Correct it at the line of the message; quotes and separators of CSV are parameters.";
    LoadHeader: "The first line of the CSV has a name that is no column, has one twice or lacks a required one."
        => "Give the columns' names in the first line, in any order.";
    LoadRecordTooLarge: "A row has more bytes than one row may have."
        => "Check the quotes before this line, or raise `lineMax`.";
    LoadFields: "The line has more or fewer fields than the first one."
        => "Check the separators and quotes of the line.";
    LoadStopped: "More rows were refused than the parameter `errors` allows. Committed batches stay."
        => "Correct the rows that the report lists, and load from the line after the last committed one.";
    LoadInterrupted: "The connection ended or paused too long before the body was complete. Committed batches stay."
        => "Load from the line after the last committed one.";
    LoadNotOffered: "Views and resources without inserts take no bulk loads."
        => "Load the table below it.";
    LoadCommitRefused: "A constraint that is checked at the commit refused a batch."
        => "Correct the rows, or load with fewer rows in a batch to find them.";
    Unauthorized: "The request has no access token, or one that has expired, was revoked or is not known."
        => "Get a token from `oauth/token` or from the issuer of this service, and send it as `Authorization: Bearer`.";
    Forbidden: "The token is valid, but none of its roles allows the operation."
        => "Ask the operator for a role that allows it. Callers with the role `duet.admin` learn from `detail` which do.";
    TooManyRequests: "Too many wrong tokens or failed requests for a token came from this address or client."
        => "Wait for `Retry-After` seconds, and correct the secret.";
    IssuerKeys: "The keys of the token issuer could not be fetched yet."
        => "Try again later; the operator checks `jwt_keys_url`.";
    RoleDenied: "The role of the database under which the request runs lacks a privilege."
        => "The operator grants the privilege to the role.";
    RoleNotAllowed: "The claim of the token names no role of the database that `jwt_db_roles` lists."
        => "Get a token with an allowed role.";
    TenantDenied: "The request names another tenant than its token."
        => "Name the tenant of the token, or leave the header out.";
    TenantUnknown: "No tenant of this name exists."
        => "Check the name; the tenant API makes tenants.";
    TenantBusy: "The tenant has as many requests under way as it may have."
        => "Try again after `Retry-After`.";
    Setting: "A setting is unknown, malformed or contradicts another one."
        => "Correct it where the message says; `duet serve --help-all` lists all settings.";
    NameClash: "Two tables, views or services would be served under one name, or a name is reserved."
        => "Rename one of them in `app.toml`, or exclude it.";
    Application: "The application's files were read again and hold mistakes; what was served before is served on."
        => "Correct the files; `duet check` explains every mistake.";
    Certificate: "The certificate or key of the listeners cannot be read, or they do not belong together."
        => "Give a certificate chain and its unencrypted key in PEM.";
    RoleUnusable: "The database role of the client does not exist, or Duet's user may not assume it."
        => "Make the role, and grant it to Duet's user.";
    CommandLine: "An argument of a command is unknown here, contradicts another one or cannot be read."
        => "Correct it; `duet COMMAND --help-all` describes all arguments. The exit code is 2.";
    DatabaseUnavailable: "The database does not take connections at the moment."
        => "Try again after `Retry-After`; the operator finds the cause in the server's log.";
    Overloaded: "As many requests wait as the server or the database lets wait."
        => "Try again after `Retry-After`, with fewer requests at once.";
    Timeout: "The statement took longer than the setting allows."
        => "Ask for less at once, or filter by an indexed field.";
    ValueOutOfRange: "A value is beyond what the type of the database can hold."
        => "Give a value in the type's range.";
    SchemaChanged: "The schema changed while the request ran."
        => "Send the request again.";
    DatabaseDenied: "The user of the database as which Duet connects lacks a privilege."
        => "The operator grants it; the server's log names the object.";
    DatabaseLocked: "Another program holds a lock on the file or the rows."
        => "Try again after `Retry-After`.";
    AnswerTooLarge: "The answer would have more bytes or rows than the server allows."
        => "Ask for fewer items or members, or for a stream.";
    FlexNoObject: "A column whose JSON is merged into the document holds something else than an object."
        => "Correct the value in the database; the server's log names the row.";
    MemoryLimit: "Requests and responses that are under way use all memory that is meant for them."
        => "Try again after `Retry-After`, or ask for less at once.";
    FunctionBroken: "A function, trigger or view of the database names something that does not exist, or does what it must not, such as a `STABLE` function that writes."
        => "The operator of the database corrects it; the server's log says which one.";
    NotComputed: "A computed member, a condition or a view of the database has no value for a stored row: a division by zero, a number out of range, a text of the wrong form."
        => "Leave the member out with `fields`, or filter the row out. The operator corrects the row or the definition; the server's log has the cause.";
    RoutineCommits: "The procedure, or one that it calls, has `COMMIT` or `ROLLBACK`, and a request is one transaction that ends with it."
        => "Call a procedure that leaves the end of the transaction to its caller; the operator can split this one.";
    DistributedStatement: "The tables are distributed over machines by Citus, in a way for which it refuses this request."
        => "Repeating it does not help. `hint` says how the tables are distributed; the operator co-locates them or makes reference tables: `duet check --engine citus` proposes how.";
    NotPopulated: "The materialized view was made without data and never refreshed."
        => "The operator of the database refreshes it.";
    ViewOutdated: "The tables of a duality view have changed, so that its definition does not fit any more."
        => "The operator corrects the definition; `duet check` explains it.";
    DeadlinePassed: "The limit of the header `Request-Timeout` has passed. Nothing was changed."
        => "Allow more time, or ask for less at once.";
    DeadlineUnknown: "The limit of the header `Request-Timeout` has passed while the database committed."
        => "Read the document before you repeat the request.";
    ResultFile: "The file is no result of a run, is damaged, or does not belong to the others."
        => "Use the file that `duet bench` wrote.";
    Internal: "Something failed that should not."
        => "Tell the operator the id in `instance`: the server's log has the cause under it.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_cause_and_a_cure_in_whole_sentences() {
        for code in Code::ALL {
            let Remedy { cause, cure } = code.remedy();
            for text in [cause, cure] {
                assert!(text.ends_with('.') && text.len() > 10, "{code:?}: {text}");
                assert_eq!(text.matches('`').count() % 2, 0, "{code:?}: {text}");
                assert!(!text.contains('|'), "the manual has it in a table: {text}");
            }
            assert_ne!(cause, cure, "{code:?}");
        }
    }
}
