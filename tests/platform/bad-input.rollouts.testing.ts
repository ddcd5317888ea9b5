import type { BadRequest } from './bad-input.testing.ts'

/** Operations on executions that must be refused: data for bad-input.test.ts. The release waits for an approval. */

const ONE = '/api/v1/projects/{project}/releases/{release}'
const EXECUTE = `POST ${ONE}/execute`
const ROLLBACK = `POST ${ONE}/rollback`
const EVENTS = `GET ${ONE}/executions/{execution}/events`
const ENTRY = 'POST /api/v1/projects/{project}/rulesets/rule/history'

export const BAD_ROLLOUTS: readonly BadRequest[] = [
  { title: 'execute before it is approved', route: EXECUTE, body: {}, status: 409, kind: 'wrong_state' },
  {
    title: 'an empty reason for an emergency',
    route: EXECUTE,
    body: { emergency_reason: '' },
    status: 400,
    at: '/emergency_reason',
  },
  {
    title: 'a reason that is not text',
    route: EXECUTE,
    body: { emergency_reason: 1 },
    status: 400,
    at: '/emergency_reason',
  },
  {
    title: 'an expected change without an end',
    route: EXECUTE,
    body: { expect: [{ from: 'A' }] },
    status: 400,
    at: '/expect/0/to',
  },
  {
    title: 'an expected share of nothing',
    route: EXECUTE,
    body: { expect: [{ from: 'A', to: 'B', share: 0 }] },
    status: 400,
    at: '/expect/0/share',
  },
  {
    title: 'an expected share in percent',
    route: EXECUTE,
    body: { expect: [{ from: 'A', to: 'B', share: 4 }] },
    status: 400,
    at: '/expect/0/share',
  },
  {
    title: 'an expected change that the impact does not name',
    route: EXECUTE,
    body: { expect: [{ from: 'A', to: 'B' }] },
    status: 400,
    at: '/expect/0',
  },
  { title: 'another member', route: EXECUTE, body: { force: true }, status: 400, kind: 'unknown-field' },
  { title: 'pause an execution that is not running', route: `POST ${ONE}/pause`, status: 409, kind: 'wrong_state' },
  { title: 'resume an execution that is not paused', route: `POST ${ONE}/resume`, status: 409, kind: 'wrong_state' },
  { title: 'promote outside of a canary', route: `POST ${ONE}/promote`, status: 409, kind: 'wrong_state' },
  { title: 'abort an execution that is not running', route: `POST ${ONE}/abort`, status: 409, kind: 'wrong_state' },
  { title: 'roll back a release that was not executed', route: ROLLBACK, body: {}, status: 409, kind: 'wrong_state' },
  {
    title: 'a reason that is too long',
    route: ROLLBACK,
    body: { reason: 'x'.repeat(2001) },
    status: 400,
    at: '/reason',
  },
  { title: 'an entry of no history', route: `${ENTRY}/x/rollback`, status: 404 },
  { title: 'a state that holds already', route: `${ENTRY}/{entry}/rollback`, status: 409, kind: 'wrong_state' },
  { title: 'an unknown execution', route: `GET ${ONE}/executions/x`, status: 404 },
  { title: 'canaries of an unknown execution', route: `GET ${ONE}/executions/{release}/canaries`, status: 404 },
  { title: 'events of an unknown execution', route: `GET ${ONE}/executions/{release}/events`, status: 404 },
  { title: 'an invalid event number', route: `${EVENTS}?last_event_id=x`, status: 400 },
  { title: 'a negative event number', route: `${EVENTS}?last_event_id=-1`, status: 400 },
]
