// The published load test of table and duality view: 10 users, 1,000 GETs each, no think time, one
// token for all, three checks. DUET_URL, DUET_MOUNT, DUET_CLIENT, DUET_SECRET, DUET_RESOURCE
// (team or team_dv), DUET_IDS (comma-separated).
import http from 'k6/http';
import encoding from 'k6/encoding';
import { check } from 'k6';

const base = `${__ENV.DUET_URL}${__ENV.DUET_MOUNT}`;
const resource = __ENV.DUET_RESOURCE || 'team';
const ids = (__ENV.DUET_IDS || '2,301,302').split(',').map(Number);

export const options = {
  scenarios: { gets: { executor: 'per-vu-iterations', vus: 10, iterations: 1000, maxDuration: '10m' } },
  thresholds: { checks: ['rate==1'] },
  summaryTrendStats: ['avg', 'min', 'med', 'max', 'p(90)', 'p(95)'],
};

export function setup() {
  const basic = encoding.b64encode(`${__ENV.DUET_CLIENT}:${__ENV.DUET_SECRET}`);
  const answer = http.post(`${base}/oauth/token`, { grant_type: 'client_credentials' }, { headers: { Authorization: `Basic ${basic}` } });
  return answer.json();
}

export default function (token) {
  const id = ids[Math.floor(Math.random() * ids.length)];
  const answer = http.get(`${base}/${resource}/${id}`, { headers: { Authorization: `Bearer ${token.access_token}` } });
  check(answer, {
    'is status 200': (r) => r.status === 200,
    'is application/json': (r) => r.headers['Content-Type'] === 'application/json',
    'is requested team resource': (r) => {
      const body = r.json();
      return (body.team_id ?? body._id ?? body.teamId) === id;
    },
  });
}
