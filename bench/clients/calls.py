"""Calls of clients that openapi-python-client generates: what mypy accepts here is what a user writes."""

import sys
from http import HTTPStatus

import music.models
import season
from music.api.album import get_album
from season.api.driver import search_driver
from season.api.team import create_team, delete_team, get_team, list_team, patch_team
from season.api.team_dv import get_team_dv
from season.models import (
    DriverFilter,
    DriverSearch,
    ListTeamCount,
    Problem,
    TeamDvItem,
    TeamItem,
    TeamNew,
    TeamPage,
    TeamPatch,
)


def main(base: str) -> None:
    client = season.Client(base_url=f"{base}/ords/hr")
    page = list_team.sync(client=client, limit=2, count=ListTeamCount.EXACT)
    assert isinstance(page, TeamPage) and len(page.items) == 2, page
    assert page.items[0].name and page.items[0].links
    few = list_team.sync(client=client, limit=2, fields="name")
    assert isinstance(few, TeamPage) and few.items[0].name, few
    one = get_team_dv.sync(301, client=client, fields="name")
    assert isinstance(one, TeamDvItem) and one.name == "Red Bull", one

    wanted = DriverFilter.from_dict({"name": {"$like": "Max%"}})
    found = search_driver.sync(client=client, body=DriverSearch(q=wanted))
    assert not isinstance(found, Problem) and found is not None
    assert found.items[0].name == "Max Verstappen", found

    new = TeamNew(team_id=901, name="Haas", points=0)
    made = create_team.sync_detailed(client=client, body=new)
    assert made.status_code == HTTPStatus.CREATED, made
    changed = patch_team.sync(901, client=client, body=TeamPatch(points=7))
    assert isinstance(changed, TeamItem) and changed.points == 7, changed
    gone = delete_team.sync_detailed(901, client=client)
    assert gone.status_code == HTTPStatus.OK, gone
    missing = get_team.sync(901, client=client)
    assert isinstance(missing, Problem) and missing.errors[0].code == "DUET-1002", missing

    album = get_album.sync(1, client=music.Client(base_url=f"{base}/ords/chinook"))
    assert album is not None and not isinstance(album, music.models.Problem) and album.title
    print("Python: all calls were answered as their types say")


if __name__ == "__main__":
    main(sys.argv[1])
