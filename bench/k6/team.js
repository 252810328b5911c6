// The published load test of ORDS on the table `team`: 10 users, 1,000 GETs each, no think time, one token for all.
//
// ORDS_CLIENT_ID and ORDS_CLIENT_SECRET are the client's; there is no default. ORDS_SCHEME, ORDS_SERVER, ORDS_ALIAS and
// TEAM_IDS (joined by commas) may say what the published script does not.
import http from 'k6/http';
import { check } from 'k6';
import { authenticateUsingORDSClientCredentials } from './ords_auth.js';

const scheme = __ENV.ORDS_SCHEME || 'http';
const server = __ENV.ORDS_SERVER || 'localhost:8080';
const alias = __ENV.ORDS_ALIAS || 'hr';
const ids = (__ENV.TEAM_IDS || '2,301,302').split(',').map(Number);

export const options = {
  scenarios: { gets: { executor: 'per-vu-iterations', vus: 10, iterations: 1000, maxDuration: '30m' } },
  thresholds: { checks: ['rate==1'] },
};

export function setup() {
  const token = authenticateUsingORDSClientCredentials(
    scheme, server, alias, __ENV.ORDS_CLIENT_ID, __ENV.ORDS_CLIENT_SECRET);
  console.log(JSON.stringify(token));
  return token;
}

export default function (token) {
  const id = ids[Math.floor(Math.random() * ids.length)];
  const url = `${scheme}://${server}/ords/${alias}/team/${id}`;
  const answer = http.get(url, { headers: { Authorization: `Bearer ${token.access_token}` } });
  check(answer, {
    'is status 200': (r) => r.status === 200,
    'is application/json': (r) => r.headers['Content-Type'] === 'application/json',
    'is requested team resource': (r) => r.json('team_id') === id,
  });
}
