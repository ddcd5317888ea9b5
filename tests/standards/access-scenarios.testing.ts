import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The certification scenario of the AuthZEN Authorization API 1.0, and the three scenarios of its interoperability events: a
 * to-do list, its gateway, and searches of records. The decisions that the scenarios demand are computed from their policies, as
 * written in TypeScript here, and never by our rules.
 */

/** An answer of a server. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  // oxlint-disable-next-line typescript/no-explicit-any -- scenarios look into answers of every shape
  readonly body: any
}

/** Sends a body, or a text as it is. */
export type Send = (path: string, body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>

/** A request of a scenario, and why its answer is wrong; undefined: it is right. */
export interface ScenarioRow {
  readonly level: string
  readonly name: string
  readonly path: string
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly fault: (answer: Answer) => string | undefined
}

const decision = (condition: string, next_step: string) => ({ condition, next_step })
const TERMINALS = {
  permit: { id: 'permit', type: 'terminal', result: { code: 'PERMIT', message: 'allowed' } },
  deny: { id: 'deny', type: 'terminal', result: { code: 'DENY', message: 'not allowed' } },
}
const ruleset = (name: string, branches: readonly object[]) => ({
  config: { name, version: '1.0.0', entry_step: 'check' },
  steps: { check: { id: 'check', type: 'decision', branches, default_next: 'deny' }, ...TERMINALS },
})

/** The rulesets of each tenant. */
const RULESETS = {
  default: [
    ruleset('certification', [
      decision('!(subject.type == "user" && subject.id in ["alice", "bob"] && resource.type == "record")', 'deny'),
      decision('action.name == "read"', 'permit'),
      decision('action.name == "write" && resource.properties.status == "archived"', 'archived'),
      decision('action.name == "write" && subject.id == "alice"', 'permit'),
      decision('action.name == "delete" && action.properties.soft == true && subject.id == "alice"', 'permit'),
    ]),
  ].map(({ config, steps }) => ({
    config,
    steps: {
      ...steps,
      archived: {
        id: 'archived',
        type: 'decision',
        branches: [decision('subject.properties.role == "admin"', 'permit')],
        default_next: 'deny',
      },
    },
  })),
  search: [
    ruleset('records', [
      decision('subject.id == resource.properties.owner', 'permit'),
      decision('action.name == "view" && subject.properties.role == "manager"', 'permit'),
      decision('subject.properties.department != resource.properties.department', 'deny'),
      decision('action.name == "view"', 'permit'),
      decision('action.name == "edit" && subject.properties.role == "manager"', 'permit'),
    ]),
  ],
  todo: [
    ruleset('todo', [
      decision('subject.properties.roles == null', 'deny'),
      decision('action.name in ["GET", "can_read_user", "can_read_todos"]', 'permit'),
      decision(
        '"admin" in subject.properties.roles && action.name in ["can_create_todo", "can_delete_todo"]',
        'permit',
      ),
      decision('"evil_genius" in subject.properties.roles && action.name == "can_update_todo"', 'permit'),
      decision(
        'resource.type == "route" && ("admin" in subject.properties.roles || "editor" in subject.properties.roles)',
        'permit',
      ),
      decision('"editor" in subject.properties.roles && action.name == "can_create_todo"', 'permit'),
      decision(
        '"editor" in subject.properties.roles && action.name in ["can_update_todo", "can_delete_todo"] && resource.properties.ownerID == subject.properties.email',
        'permit',
      ),
    ]),
  ],
} as const

const user = (id: string, properties?: object) => ({ type: 'user', id, ...(properties && { properties }) })
const record = (id: string, properties?: object) => ({ type: 'record', id, ...(properties && { properties }) })
const action = (name: string, properties?: object) => ({ name, ...(properties && { properties }) })

/** The employees of the search scenario: role and department. */
const EMPLOYEES = {
  alice: ['manager', 'Sales'],
  bob: ['employee', 'Legal'],
  carol: ['contractor', 'Legal'],
  dan: ['manager', 'Finance'],
  erin: ['employee', 'Finance'],
  felix: ['contractor', 'Accounting'],
} as const

/** Department and owner of the records 101 to 120 of the search scenario. */
const RECORDS =
  `Legal alice, Legal bob, Legal carol, Accounting dan, Legal erin, Accounting felix, Sales alice, Legal bob,
  Accounting carol, Sales dan, Accounting erin, Legal felix, Sales alice, Accounting bob, Finance carol, Legal dan, Legal erin,
  Accounting felix, Legal alice, Accounting bob`
    .split(',')
    .map((row, index) => {
      const [department = '', owner = ''] = row.trim().split(' ')
      return { id: String(101 + index), department, owner }
    })

/** The people of the to-do list: id, mail address and roles. */
const PEOPLE = [
  ['CiRmZDA2MTRkMy1jMzlhLTQ3ODEtYjdiZC04Yjk2ZjVhNTEwMGQSBWxvY2Fs', 'rick@the-citadel.com', ['admin', 'evil_genius']],
  ['CiRmZDE2MTRkMy1jMzlhLTQ3ODEtYjdiZC04Yjk2ZjVhNTEwMGQSBWxvY2Fs', 'morty@the-citadel.com', ['editor']],
  ['CiRmZDI2MTRkMy1jMzlhLTQ3ODEtYjdiZC04Yjk2ZjVhNTEwMGQSBWxvY2Fs', 'summer@the-smiths.com', ['editor']],
  ['CiRmZDM2MTRkMy1jMzlhLTQ3ODEtYjdiZC04Yjk2ZjVhNTEwMGQSBWxvY2Fs', 'beth@the-smiths.com', ['viewer']],
  ['CiRmZDQ2MTRkMy1jMzlhLTQ3ODEtYjdiZC04Yjk2ZjVhNTEwMGQSBWxvY2Fs', 'jerry@the-smiths.com', ['viewer']],
] as const

const ENTITIES = {
  default: [
    user('alice'),
    user('bob', { role: 'admin' }),
    record('record-1', { status: 'active' }),
    record('record-2', { status: 'archived' }),
  ],
  search: [
    ...Object.entries(EMPLOYEES).map(([id, [role, department]]) => user(id, { role, department })),
    ...RECORDS.map(({ id, department, owner }) => record(id, { department, owner })),
  ],
  todo: PEOPLE.flatMap(([id, email, roles]) =>
    ['user', 'identity'].map((type) => ({ type, id, properties: { email, roles } })),
  ),
} as const

const MAPPINGS = {
  default: { resource: 'record', ruleset: 'certification', permit: ['PERMIT'], actions: ['read', 'write', 'delete'] },
  search: { resource: 'record', ruleset: 'records', permit: ['PERMIT'], actions: ['view', 'edit', 'delete'] },
  todo: { resource: ['todo', 'user', 'route'], ruleset: 'todo', permit: ['PERMIT'] },
} as const

const TENANTS = ['default', 'search', 'todo'] as const

/** Writes the mappings with their entities; returns the option of the server. */
export function writeMappings(folder: string): readonly string[] {
  mkdirSync(join(folder, 'authzen'), { recursive: true })
  for (const tenant of TENANTS) {
    const place = tenant === 'default' ? folder : join(folder, 'authzen')
    writeFileSync(
      join(place, `${tenant}.json`),
      JSON.stringify({ base: 'https://pdp.example.com', rules: [MAPPINGS[tenant]], entities: `${tenant}.jsonl` }),
    )
    writeFileSync(
      join(place, `${tenant}.jsonl`),
      ENTITIES[tenant].map((entity) => `${JSON.stringify(entity)}\n`).join(''),
    )
  }
  return ['--authzen-config', join(folder, 'default.json')]
}

/** Creates the tenants and stores their rulesets. Throws where that fails. */
export async function storeRulesets(send: Send): Promise<void> {
  for (const tenant of TENANTS) {
    if (tenant !== 'default') requireStatus(await send('/api/v1/tenants', { id: tenant }), 201)
    for (const one of RULESETS[tenant])
      requireStatus(await send('/api/v1/rulesets', one, { 'x-tenant-id': tenant }), 201)
  }
}

function requireStatus({ status, body }: Answer, expected: number): void {
  if (status !== expected) throw new Error(`expected ${expected}, found ${status}: ${JSON.stringify(body)}`)
}

const isStatus = (expected: number) => (answer: Answer) =>
  answer.status === expected ? undefined : `the status is ${answer.status}, not ${expected}`

/** A fault in the shape of an answer, or the result of a look at its body. */
const looking = (look: (body: Answer['body']) => boolean, expected: string) => (answer: Answer) =>
  isStatus(200)(answer) ??
  (String(answer.headers['content-type']).startsWith('application/json')
    ? undefined
    : 'the content type is not JSON') ??
  (look(answer.body) ? undefined : `expected ${expected}, found ${JSON.stringify(answer.body)}`)

const decides = (expected: boolean) => looking(({ decision: found }) => found === expected, `decision ${expected}`)
const decidesAll = (...expected: readonly (boolean | null)[]) =>
  looking(
    ({ evaluations }) =>
      Array.isArray(evaluations) &&
      evaluations.length === expected.length &&
      expected.every((one, index) =>
        one === null ? typeof evaluations[index].decision === 'boolean' : evaluations[index].decision === one,
      ),
    `decisions ${JSON.stringify(expected)}`,
  )
const finds = (...names: readonly string[]) =>
  looking(
    ({ results }) => {
      const found = namesIn(results)
      return names.every((name) => found.includes(name))
    },
    `results with ${names.join(', ')}`,
  )
const findsExactly = (names: readonly string[]) =>
  looking(
    ({ results }) => [...namesIn(results)].sort().join() === [...names].sort().join(),
    `results ${names.join(', ')}`,
  )

function namesIn(results: unknown): readonly string[] {
  return Array.isArray(results) ? results.map((one: { id?: string; name?: string }) => one.id ?? one.name ?? '') : []
}

const EVALUATION = 'evaluation'
const EVALUATIONS = 'evaluations'
const GOOD = { subject: user('alice'), action: action('read'), resource: record('record-1') }
const ADMIN = user('bob', { role: 'admin' })
const ARCHIVED = record('record-2', { status: 'archived' })
const TIME_AND_PLACE = { time: '2025-06-27T18:03-07:00', ip: '192.168.1.1' }
const ANYBODY = { type: 'user' }
const ANYTHING = { type: 'record' }

function without(body: Readonly<Record<string, unknown>>, member: string): object {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== member))
}

type Row = readonly [
  name: string,
  path: string,
  body: unknown,
  fault: ScenarioRow['fault'],
  headers?: ScenarioRow['headers'],
]

/** The rows of the certification scenario by its levels. */
const LEVELS: Readonly<Record<string, readonly Row[]>> = {
  'Basic Core': [
    ['permits', EVALUATION, GOOD, decides(true)],
    ['denies', EVALUATION, { ...GOOD, subject: user('bob'), action: action('write') }, decides(false)],
    ['permits another action', EVALUATION, { ...GOOD, action: action('write') }, decides(true)],
    ['permits another subject', EVALUATION, { ...GOOD, subject: user('bob') }, decides(true)],
    ['takes a context', EVALUATION, { ...GOOD, context: TIME_AND_PLACE }, decides(true)],
    [
      'takes further properties',
      EVALUATION,
      {
        subject: user('alice', { department: 'Sales', role: 'manager' }),
        action: action('read', { method: 'GET' }),
        resource: record('record-1', { status: 'active', owner: 'bob' }),
      },
      decides(true),
    ],
    ['ignores unknown members', EVALUATION, { ...GOOD, foo: 'bar', future: { nested: true } }, decides(true)],
    ...['subject', 'action', 'resource'].map((member): Row => [
      `refuses a request without ${member}`,
      EVALUATION,
      without(GOOD, member),
      isStatus(400),
    ]),
    ...(
      [
        ['subject', { id: 'alice' }],
        ['subject', ANYBODY],
        ['action', {}],
        ['resource', { id: 'record-1' }],
        ['resource', ANYTHING],
        ['subject', 'alice'],
        ['action', { name: 123 }],
        ['resource', ['record']],
        ['subject', null],
      ] as const
    ).map(([member, value]): Row => [
      `refuses ${member} ${JSON.stringify(value)}`,
      EVALUATION,
      { ...GOOD, [member]: value },
      isStatus(400),
    ]),
    ['refuses another content type', EVALUATION, GOOD, isStatus(400), { 'content-type': 'text/plain' }],
    ['refuses what is not JSON', EVALUATION, '{"subject":', isStatus(400)],
    ['refuses an empty body', EVALUATION, '', isStatus(400)],
    ['echoes the request id', EVALUATION, GOOD, echoes('bfe9eb29-1'), { 'x-request-id': 'bfe9eb29-1' }],
    ['echoes the request id of an error', EVALUATION, '', echoes('q 1'), { 'x-request-id': 'q 1' }],
    ...[1, 2, 3, 4, 5].map((round): Row => [`decides the same in round ${round}`, EVALUATION, GOOD, decides(true)]),
  ],
  'Basic Properties': [
    [
      'denies by a property of the resource',
      EVALUATION,
      { ...GOOD, action: action('write'), resource: ARCHIVED },
      decides(false),
    ],
    [
      'permits by a property of the subject',
      EVALUATION,
      { subject: ADMIN, action: action('write'), resource: ARCHIVED },
      decides(true),
    ],
    [
      'permits by a property of the action',
      EVALUATION,
      { ...GOOD, action: action('delete', { soft: true }) },
      decides(true),
    ],
    [
      'denies by a property of the action',
      EVALUATION,
      { ...GOOD, action: action('delete', { soft: false }) },
      decides(false),
    ],
  ],
  'Batch Core': [
    [
      'evaluates resources',
      EVALUATIONS,
      {
        ...without(GOOD, 'resource'),
        evaluations: [{ resource: record('record-1') }, { resource: record('record-2') }],
      },
      decidesAll(true, null),
    ],
    [
      'evaluates actions',
      EVALUATIONS,
      {
        subject: user('bob'),
        resource: record('record-1'),
        evaluations: [{ action: action('read') }, { action: action('write') }],
      },
      decidesAll(true, false),
    ],
    [
      'evaluates whole items',
      EVALUATIONS,
      { evaluations: [GOOD, { ...GOOD, subject: user('bob'), action: action('write') }] },
      decidesAll(true, false),
    ],
    [
      'replaces the context',
      EVALUATIONS,
      {
        ...without(GOOD, 'resource'),
        context: TIME_AND_PLACE,
        evaluations: [{ resource: record('record-1') }, { resource: record('record-2'), context: { source: 'x' } }],
      },
      decidesAll(true, null),
    ],
    [
      'continues after an incomplete item',
      EVALUATIONS,
      {
        ...without(GOOD, 'resource'),
        options: { evaluations_semantic: 'execute_all' },
        evaluations: [{ resource: record('record-1') }, {}, { resource: record('record-1') }],
      },
      decidesAll(true, false, true),
    ],
    ['decides once without items', EVALUATIONS, GOOD, decides(true)],
    ['decides once for an empty list', EVALUATIONS, { ...GOOD, evaluations: [] }, decides(true)],
  ],
  'Batch Properties': [
    [
      'evaluates resources',
      EVALUATIONS,
      {
        subject: user('alice'),
        action: action('write'),
        evaluations: [{ resource: record('record-1', { status: 'active' }) }, { resource: ARCHIVED }],
      },
      decidesAll(true, false),
    ],
    [
      'evaluates subjects',
      EVALUATIONS,
      { action: action('write'), resource: ARCHIVED, evaluations: [{ subject: user('alice') }, { subject: ADMIN }] },
      decidesAll(false, true),
    ],
    [
      'replaces members whole',
      EVALUATIONS,
      {
        subject: user('alice'),
        action: action('write'),
        resource: record('record-1', { status: 'active' }),
        evaluations: [{}, { resource: ARCHIVED }],
      },
      decidesAll(true, false),
    ],
  ],
  Semantics: (
    [
      ['execute_all', [true, false, true]],
      ['deny_on_first_deny', [true, false]],
      ['permit_on_first_permit', [true]],
    ] as const
  ).map(([evaluations_semantic, expected]): Row => [
    evaluations_semantic,
    EVALUATIONS,
    {
      ...GOOD,
      options: { evaluations_semantic },
      evaluations: [
        { action: action('read') },
        { subject: user('bob'), action: action('write') },
        { action: action('write') },
      ],
    },
    decidesAll(...expected),
  ]),
  'Search Core': [
    ...[undefined, TIME_AND_PLACE].flatMap((context): Row[] => [
      ['finds subjects', 'search/subject', { ...GOOD, subject: ANYBODY, context }, finds('alice', 'bob')],
      ['finds resources', 'search/resource', { ...GOOD, resource: ANYTHING, context }, finds('record-1')],
      ['finds actions', 'search/action', { ...without(GOOD, 'action'), context }, finds('read', 'write')],
    ]),
    ['ignores the id of the subject', 'search/subject', GOOD, finds('alice', 'bob')],
    ['ignores the id of the resource', 'search/resource', GOOD, finds('record-1', 'record-2')],
    [
      'knows no such subject',
      'search/action',
      { ...without(GOOD, 'action'), subject: user('nobody') },
      findsExactly([]),
    ],
    ['knows no such type of subjects', 'search/subject', { ...GOOD, subject: { type: 'spaceship' } }, findsExactly([])],
    [
      'knows no such type of resources',
      'search/resource',
      { ...GOOD, resource: { type: 'spaceship' } },
      findsExactly([]),
    ],
    [
      'knows nothing that nobody may',
      'search/resource',
      { ...GOOD, resource: ANYTHING, subject: user('nobody') },
      findsExactly([]),
    ],
    [
      'knows no actions on another type',
      'search/action',
      { ...GOOD, resource: { type: 'spaceship', id: '1' } },
      findsExactly([]),
    ],
    [
      'knows nobody for another type',
      'search/subject',
      { ...GOOD, resource: { type: 'spaceship', id: 'x' } },
      findsExactly([]),
    ],
    ['needs an action for subjects', 'search/subject', without(GOOD, 'action'), isStatus(400)],
    ['needs a subject for resources', 'search/resource', without(GOOD, 'subject'), isStatus(400)],
    ['needs a resource for actions', 'search/action', without(GOOD, 'resource'), isStatus(400)],
    ['needs the id of the resource', 'search/subject', { ...GOOD, resource: ANYTHING }, isStatus(400)],
    ['needs the id of the subject', 'search/resource', { ...GOOD, subject: ANYBODY }, isStatus(400)],
    ['needs the id of the subject for actions', 'search/action', { ...GOOD, subject: ANYBODY }, isStatus(400)],
  ],
  'Search Properties': [
    [
      'finds subjects',
      'search/subject',
      { subject: ANYBODY, action: action('write'), resource: ARCHIVED },
      findsExactly(['bob']),
    ],
    [
      'finds resources',
      'search/resource',
      { subject: ADMIN, action: action('write'), resource: ANYTHING },
      findsExactly(['record-2']),
    ],
    ['finds actions', 'search/action', { subject: ADMIN, resource: ARCHIVED }, findsExactly(['read', 'write'])],
  ],
}

function echoes(id: string): ScenarioRow['fault'] {
  return ({ headers }) =>
    headers['x-request-id'] === id ? undefined : `the request id is ${String(headers['x-request-id'])}`
}

const CERTIFICATION: readonly ScenarioRow[] = Object.entries(LEVELS).flatMap(([level, rows]) =>
  rows.map(([name, path, body, fault, headers]) => ({
    level,
    name,
    path: `/access/v1/${path}`,
    body,
    fault,
    ...(headers && { headers }),
  })),
)

/** The policy of the search scenario. */
function mayUse(name: string, verb: string, { department, owner }: (typeof RECORDS)[number]): boolean {
  const [role, own] = EMPLOYEES[name as keyof typeof EMPLOYEES]
  if (owner === name) return true
  if (verb === 'view') return role === 'manager' || own === department
  return verb === 'edit' && role === 'manager' && own === department
}

const NAMES = Object.keys(EMPLOYEES)
const VERBS = ['view', 'edit', 'delete']

/** Every search of the search scenario: 60 for subjects, 18 for resources, 120 for actions. */
const SEARCHES: readonly ScenarioRow[] = [
  ...RECORDS.flatMap((one) =>
    VERBS.map((verb) =>
      searching(
        'subject',
        { subject: ANYBODY, action: action(verb), resource: record(one.id) },
        NAMES.filter((name) => mayUse(name, verb, one)),
      ),
    ),
  ),
  ...NAMES.flatMap((name) =>
    VERBS.map((verb) =>
      searching(
        'resource',
        { subject: user(name), action: action(verb), resource: ANYTHING },
        RECORDS.filter((one) => mayUse(name, verb, one)).map(({ id }) => id),
      ),
    ),
  ),
  ...NAMES.flatMap((name) =>
    RECORDS.map((one) =>
      searching(
        'action',
        { subject: user(name), resource: record(one.id) },
        VERBS.filter((verb) => mayUse(name, verb, one)),
      ),
    ),
  ),
]

function searching(kind: string, body: object, names: readonly string[]): ScenarioRow {
  return {
    level: `Interoperability: ${kind} search`,
    name: JSON.stringify(body),
    // The tenant is part of the path.
    path: `/search/access/v1/search/${kind}`,
    body,
    fault: findsExactly(names),
  }
}

type Person = (typeof PEOPLE)[number]

/** The policy of the to-do list. */
function mayDo([, email, roles]: Person, verb: string, owner: string): boolean {
  const has = (role: string) => roles.some((one) => one === role)
  if (verb === 'can_create_todo') return has('admin') || has('editor')
  if (verb === 'can_update_todo') return has('evil_genius') || (has('editor') && owner === email)
  if (verb === 'can_delete_todo') return has('admin') || (has('editor') && owner === email)
  return true
}

const OWNED = ['can_update_todo', 'can_delete_todo']
const todo = (owner: string) => ({ type: 'todo', id: `of ${owner}`, properties: { ownerID: owner } })

const TO_DO_LIST: readonly ScenarioRow[] = PEOPLE.flatMap((person) => {
  const subject = user(person[0])
  const row = (verb: string, resource: object, owner = '') => ({
    level: 'Interoperability: to-do list',
    name: `${person[1]} ${verb} ${owner}`,
    path: '/todo/access/v1/evaluation',
    body: { subject, action: action(verb), resource },
    fault: decides(mayDo(person, verb, owner)),
  })
  const owners = PEOPLE.map(([, email]) => email)
  const batch = {
    level: 'Interoperability: to-do list',
    name: `${person[1]} updates many`,
    path: '/todo/access/v1/evaluations',
    // The client of the event sends an empty resource at the top, which no item ends up with.
    body: {
      subject,
      action: action('can_update_todo'),
      resource: {},
      evaluations: owners.map((owner) => ({ resource: todo(owner) })),
    },
    fault: decidesAll(...owners.map((owner) => mayDo(person, 'can_update_todo', owner))),
  }
  return [
    ...owners.map((owner) => row('can_read_user', { type: 'user', id: owner })),
    row('can_read_todos', { type: 'todo', id: 'todo-1' }),
    row('can_create_todo', { type: 'todo', id: 'todo-1' }),
    ...OWNED.flatMap((verb) => owners.map((owner) => row(verb, todo(owner), owner))),
    batch,
  ]
})

const GATEWAY: readonly ScenarioRow[] = PEOPLE.flatMap(([id, email, roles]) =>
  (
    [
      ['GET', '/users/{userId}'],
      ['GET', '/todos'],
      ['POST', '/todos'],
      ['PUT', '/todos/{todoId}'],
      ['DELETE', '/todos/{todoId}'],
    ] as const
  ).map(([method, route]) => ({
    level: 'Interoperability: gateway',
    name: `${email} ${method} ${route}`,
    path: '/todo/access/v1/evaluation',
    body: { subject: { type: 'identity', id }, action: action(method), resource: { type: 'route', id: route } },
    fault: decides(method === 'GET' || roles.some((role) => role !== 'viewer')),
  })),
)

/** Every row but those of pages and of discovery, which need more than one request or another method. */
export const SCENARIO_ROWS: readonly ScenarioRow[] = [...CERTIFICATION, ...SEARCHES, ...TO_DO_LIST, ...GATEWAY]

/** Reads all pages of a search. */
export async function allPages(send: Send, path: string, body: object, limit: number): Promise<readonly string[]> {
  const names: string[] = []
  for (let token = ''; ;) {
    const answer = await send(path, { ...body, page: { limit, ...(token === '' ? {} : { token }) } })
    requireStatus(answer, 200)
    names.push(...namesIn(answer.body.results))
    token = answer.body.page.next_token
    if (token === '') return names
  }
}

/** The records of the search scenario in the order of their ids. */
export const RECORD_IDS: readonly string[] = RECORDS.map(({ id }) => id)
