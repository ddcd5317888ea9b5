import type { BadRequest } from './bad-input.testing.ts'

/** Streams and presence that must be refused: data for bad-input.test.ts. The ruleset `rule` exists. */

const PRESENCE = 'PUT /api/v1/projects/{project}/rulesets/rule/presence'
const EVENTS = 'GET /api/v1/projects/{project}/rulesets/rule/events'

export const EVENT_REQUESTS: readonly BadRequest[] = [
  { title: 'presence without a step', route: PRESENCE, body: {}, status: 400, at: '/step_id' },
  { title: 'presence at a step that is a number', route: PRESENCE, body: { step_id: 1 }, status: 400, at: '/step_id' },
  {
    title: 'presence at a step with a name beyond all length',
    route: PRESENCE,
    body: { step_id: 'x'.repeat(257) },
    status: 400,
    at: '/step_id',
  },
  {
    title: 'presence with a member that is unknown',
    route: PRESENCE,
    body: { step_id: null, user: 'another' },
    status: 400,
    at: '/user',
  },
  {
    title: 'presence at a ruleset that is unknown',
    route: 'PUT /api/v1/projects/{project}/rulesets/unknown/presence',
    body: { step_id: null },
    status: 404,
  },
  { title: 'events of a deleted ruleset', route: EVENTS.replace('/rule/', '/gone/'), status: 404 },
  { title: 'events behind no event', route: `${EVENTS}?last_event_id=x`, status: 400, says: 'last_event_id' },
  { title: 'events behind a fraction', route: EVENTS, headers: { 'last-event-id': '1.5' }, status: 400 },
  ...['from=yesterday', 'step=1', 'step=x', 'from=2027-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'hours=1'].map(
    (query) => ({
      title: `statistics with ${query}`,
      route: `GET /api/v1/projects/{project}/rulesets/rule/stats?${query}`,
      status: 400,
    }),
  ),
  { title: 'events with an unknown parameter', route: `${EVENTS}?since=1`, status: 400 },
]
