CREATE SCHEMA IF NOT EXISTS duet;
CREATE OR REPLACE FUNCTION duet.announce_schema() RETURNS event_trigger
    LANGUAGE plpgsql SET search_path = pg_catalog AS $duet$
BEGIN
    -- Temporary objects of a session are nothing that is served.
    IF TG_EVENT = 'sql_drop' THEN
        IF NOT EXISTS (SELECT FROM pg_event_trigger_dropped_objects() WHERE NOT is_temporary) THEN
            RETURN;
        END IF;
    ELSIF NOT EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE schema_name IS DISTINCT FROM 'pg_temp') THEN
        RETURN;
    END IF;
    PERFORM pg_notify('duet', 'schema');
END $duet$;
DROP EVENT TRIGGER IF EXISTS duet_schema_ddl;
CREATE EVENT TRIGGER duet_schema_ddl ON ddl_command_end EXECUTE FUNCTION duet.announce_schema();
DROP EVENT TRIGGER IF EXISTS duet_schema_drop;
CREATE EVENT TRIGGER duet_schema_drop ON sql_drop EXECUTE FUNCTION duet.announce_schema();
