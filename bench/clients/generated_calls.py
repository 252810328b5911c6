"""Calls of the Python client that openapi-generator writes."""

import sys

import openapi_client as season


def main(base: str) -> None:
    client = season.ApiClient(season.Configuration(host=f"{base}/ords/hr"))
    team = season.TeamApi(client)
    page = team.list_team(limit=2, count="exact")
    assert len(page.items) == 2 and page.total > 2, page
    document = season.TeamDvApi(client).get_team_dv(301)
    assert document.name and document.driver[0].name, document
    new = season.TeamNew(team_id=9002, name="Generated", points=1)
    made = team.create_team(season.CreateTeamRequest(new)).actual_instance
    assert made.name == "Generated", made
    assert team.patch_team(9002, season.TeamPatch(points=3)).points == 3
    team.delete_team(9002)
    try:
        team.get_team(9002)
        raise AssertionError("it was removed")
    except season.ApiException as error:
        assert error.status == 404, error
    wanted = season.DriverFilter.from_dict({"name": {"$like": "L%"}})
    found = season.DriverApi(client).search_driver(season.DriverSearch(q=wanted))
    assert all(driver.name.startswith("L") for driver in found.items), found
    race = season.RaceApi(client).list_race(limit=1).items[0]
    assert race.race_date.startswith("20"), race


main(sys.argv[1])
