import type { BadRequest } from './bad-input.testing.ts'

/** Shadows and lists of decisions that must be refused: data for bad-input.test.ts. A shadow of `kept` in `dev` is under way. */

const POST = 'POST /api/v1/projects/{project}/shadows'
const DECISIONS = '/api/v1/projects/{project}/rulesets/rule/decisions'

const shadow = (more: object) => ({
  ruleset: 'rule',
  from_seq: 1,
  environment: 'prod',
  percent: 10,
  ends_at: new Date(Date.now() + 3_600_000).toISOString(),
  ...more,
})

const bad = (title: string, more: object, at: string): BadRequest => ({
  title,
  route: POST,
  body: shadow(more),
  status: 400,
  at,
})

const shadows: readonly BadRequest[] = [
  { title: 'without anything', route: POST, body: {}, status: 400, at: '/ruleset' },
  { title: 'an unknown member', route: POST, body: shadow({ name: 'x' }), status: 400, kind: 'unknown-field' },
  bad('an unknown ruleset', { ruleset: 'unknown' }, '/ruleset'),
  bad('a ruleset that was deleted', { ruleset: 'gone' }, '/ruleset'),
  bad('an unknown save', { from_seq: 7 }, '/from_seq'),
  bad('half a save', { from_seq: 0.5 }, '/from_seq'),
  bad('an unknown environment', { environment: 'moon' }, '/environment'),
  bad('no share', { percent: 0 }, '/percent'),
  bad('more than all', { percent: 100.1 }, '/percent'),
  bad('a share of a text', { percent: '10' }, '/percent'),
  bad('an end that is not a time', { ends_at: 'tomorrow' }, '/ends_at'),
  bad('an end that is over', { ends_at: '2020-01-01T00:00:00Z' }, '/ends_at'),
  bad('an end in a thousand years', { ends_at: '3000-01-01T00:00:00Z' }, '/ends_at'),
  {
    title: 'a second one of the same ruleset and environment',
    route: POST,
    body: shadow({ ruleset: 'kept', environment: 'dev' }),
    status: 409,
    kind: 'duplicate',
  },
  {
    title: 'an unknown one',
    route: 'GET /api/v1/projects/{project}/shadows/{project}',
    status: 404,
  },
  { title: 'one that is not an id', route: 'DELETE /api/v1/projects/{project}/shadows/x', status: 404 },
]

const masks: readonly BadRequest[] = ['a..b', '.a', 'a.', '.', ' a', 'a. b', '$.a', '[0]', '/a', '/input/a'].map(
  (path) => ({
    title: `a mask of \`${path}\``,
    route: 'PUT /api/v1/projects/{project}/environments/prod/recording',
    body: { mask: ['amount', path] },
    status: 400,
    at: '/mask/1',
  }),
)

const decisions: readonly BadRequest[] = [
  { title: 'of an unknown environment', route: `GET ${DECISIONS}?environment=moon`, status: 400, says: 'environment' },
  { title: 'from an invalid time', route: `GET ${DECISIONS}?from=x`, status: 400, says: 'from' },
  { title: 'to a day that does not exist', route: `GET ${DECISIONS}?to=2026-02-31T00:00:00Z`, status: 400, says: 'to' },
  { title: 'by an unknown parameter', route: `GET ${DECISIONS}?digest=x`, status: 400, says: 'digest' },
  { title: 'with a limit of none', route: `GET ${DECISIONS}?limit=0`, status: 400, says: 'limit' },
  { title: 'deleted by an unknown parameter', route: `DELETE ${DECISIONS}?limit=1`, status: 400, says: 'limit' },
  { title: 'deleted of an unknown environment', route: `DELETE ${DECISIONS}?environment=moon`, status: 400 },
  { title: 'one that is not an id', route: `GET ${DECISIONS}/x`, status: 404 },
  { title: 'an unknown one', route: `GET ${DECISIONS}/{project}`, status: 404 },
  {
    title: 'of an unknown ruleset',
    route: 'GET /api/v1/projects/{project}/rulesets/unknown/decisions',
    status: 404,
  },
]

const REPLAYS = '/api/v1/projects/{project}/replays'

const badReplay = (title: string, more: object, at: string): BadRequest => ({
  title,
  route: `POST ${REPLAYS}`,
  body: { ruleset: 'kept', from_seq: 1, environment: 'dev', ...more },
  status: 400,
  at,
})

const replays: readonly BadRequest[] = [
  { title: 'without anything', route: `POST ${REPLAYS}`, body: {}, status: 400, at: '/ruleset' },
  badReplay('an unknown ruleset', { ruleset: 'unknown' }, '/ruleset'),
  badReplay('a ruleset that was deleted', { ruleset: 'gone' }, '/ruleset'),
  badReplay('a ruleset that is not live there', { environment: 'prod' }, '/ruleset'),
  badReplay('an unknown save', { from_seq: 7 }, '/from_seq'),
  badReplay('half a save', { from_seq: 0.5 }, '/from_seq'),
  badReplay('an unknown environment', { environment: 'moon' }, '/environment'),
  badReplay('no candidate', { from_seq: undefined }, ''),
  badReplay('two candidates', { release_id: '01990000-0000-7000-8000-000000000000' }, ''),
  badReplay(
    'an unknown release',
    { from_seq: undefined, release_id: '01990000-0000-7000-8000-000000000000' },
    '/release_id',
  ),
  badReplay('a release that is not an id', { from_seq: undefined, release_id: 'x' }, '/release_id'),
  badReplay('a time that is not one', { from: 'yesterday' }, '/from'),
  badReplay(
    'an interval that ends before it begins',
    { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' },
    '/from',
  ),
  badReplay('an interval without a moment', { from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, '/from'),
  { title: 'an unknown one', route: `GET ${REPLAYS}/{project}`, status: 404 },
  { title: 'one that is not an id', route: `DELETE ${REPLAYS}/x`, status: 404 },
  { title: 'events of an unknown one', route: `GET ${REPLAYS}/{project}/events`, status: 404 },
  { title: 'an invalid event number', route: `GET ${REPLAYS}/{replay}/events?last_event_id=x`, status: 400 },
]

export const BAD_RECORDINGS: readonly (readonly [string, readonly BadRequest[]])[] = [
  ['a shadow', shadows],
  ['a replay', replays],
  ['a mask of recorded decisions', masks],
  ['recorded decisions', decisions],
]
