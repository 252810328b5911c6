// The token of a client of ORDS, by the grant of client credentials (RFC 6749 §4.4).
import http from 'k6/http';
import encoding from 'k6/encoding';

// Asks for a token below the schema's alias, and gives the parsed answer: access_token, token_type, expires_in.
export function authenticateUsingORDSClientCredentials(scheme, server, alias, clientId, clientSecret) {
  const url = `${scheme}://${server}/ords/${alias}/oauth/token`;
  const credentials = encoding.b64encode(`${clientId}:${clientSecret}`);
  const parameters = { auth: 'basic', headers: { Authorization: `Basic ${credentials}` } };
  return http.post(url, { grant_type: 'client_credentials' }, parameters).json();
}
