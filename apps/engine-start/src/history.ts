import type { Value } from '@engine/expression'
import { delay } from '@engine/process'
import { cheaperToAustria, thirdCoupon, unfinishedTable } from './changes.ts'
import { COUPONS, type Demo, LIVE_ENVIRONMENT, PAYMENTS, SHIPPING } from './demo.ts'
import { acceptInvitation, type Ask, askByKey, fieldOf, itemsOf, textOf } from './platform-requests.ts'

const POLL_INTERVAL_MS = 500
/** Recorded decisions on which a review can count. */
const ENOUGH_RECORDED = 40
/** Seconds of the canary that fails, and of the one that a person starts and watches. */
const SHORT_STAGE_S = 20
const STAGE_S = 60
/**
 * Requests of a candidate before its stage may pass. An alarm needs some twelve errors, which two of five requests are: on a
 * busy machine they take longer than the stage, which is therefore held until then.
 */
const ENOUGH_TO_FAIL = 150
const ENOUGH_TO_PASS = 10

const RISK_OFFICER = 'Risk officer'
const AUTHOR = 'Rule author'
const ROLES: readonly Value[] = [
  {
    name: RISK_OFFICER,
    description: 'Reviews what changes for customers',
    permissions: ['project.read', 'audit.read', 'test.run', 'release.approve'],
  },
  {
    name: AUTHOR,
    description: 'Writes rules, and starts approved releases',
    permissions: [
      'project.read',
      'audit.read',
      'contract.edit',
      'fact.edit',
      'ruleset.edit',
      'test.run',
      'release.create',
      'release.execute',
    ],
  },
]

/** The demonstration, and how its history is made. */
export interface History {
  readonly demo: Demo
  /** Name of the engine that serves the environments of releases. */
  readonly engine: string
  /** Whether decisions are requested, which a canary compares. */
  readonly hasTraffic: boolean
  /** Called once rules are live in all environments. */
  readonly onLive: () => void
  readonly signal: AbortSignal
}

/**
 * Give the demonstration a history by requests of the API: two people with roles, a policy and recording, then a release that
 * goes live, one that its canary rolls back, one that waits for an approval, and a draft with a failing test. The second release
 * needs traffic, because its canary compares requests. An existing history is kept.
 */
export async function makeHistory({ demo, engine, hasTraffic, onLive, signal }: History): Promise<void> {
  const project = `/api/v1/projects/${demo.projectId}`
  const admin = askByKey(demo.platformUrl, demo.adminKey, signal)
  const known = await admin('GET', `${project}/releases?limit=1`)
  if (itemsOf(known).length > 0) return onLive()
  const organization = `/api/v1/orgs/${textOf(await admin('GET', project), 'org_id')}`
  await setUp(admin, project, organization)
  await bindEngine(admin, project, engine, signal)
  const [ana, mira] = await invite(admin, organization, signal)
  const team = { ana, mira, project, signal }

  await execute(team, await request(team, FIRST, { [COUPONS]: 1, [SHIPPING]: 1, [PAYMENTS]: 1 }))
  onLive()
  const canary = `${project}/environments/${LIVE_ENVIRONMENT}/canary`
  const coupons = await Draft.of(ana, project, COUPONS)
  if (hasTraffic) {
    await recorded(team, COUPONS)
    await admin('PUT', canary, canaryOf(SHORT_STAGE_S, ENOUGH_TO_FAIL, 'hold'))
    await execute(team, await request(team, MISTAKE, { [COUPONS]: await coupons.save(thirdCoupon) }))
  }
  // A minute of traffic is often too little for a verdict, and the canary of a person should end.
  await admin('PUT', canary, canaryOf(STAGE_S, ENOUGH_TO_PASS, 'promote'))
  await coupons.save(unfinishedTable)
  if (hasTraffic) await recorded(team, SHIPPING)
  const shipping = await Draft.of(ana, project, SHIPPING)
  const waiting = await request(team, AUSTRIA, { [SHIPPING]: await shipping.save(cheaperToAustria) })
  await mira('POST', `${waiting}/comments`, {
    ruleset: SHIPPING,
    place: '/steps/free/branches/b3',
    text: 'Did the post agree to this limit?',
  })
}

/** Title and description of a release. */
interface Purpose {
  readonly title: string
  readonly description: string
}

const FIRST: Purpose = { title: 'First rules of the checkout', description: 'Coupons, delivery and card payments.' }
const MISTAKE: Purpose = {
  title: 'A fourth coupon needs a larger cart',
  description: 'The cart must be half as large again as that of the third coupon.',
}
const AUSTRIA: Purpose = {
  title: 'Cheaper delivery to Austria',
  description: 'Standard delivery to Austria is free from 100, no longer from 150.',
}

/** Recording, roles, and the policy of the environment that customers see. */
async function setUp(admin: Ask, project: string, organization: string): Promise<void> {
  for (const environment of ['dev', 'staging', LIVE_ENVIRONMENT])
    await admin('PUT', `${project}/environments/${environment}/recording`, { rate: 100, retention_days: 7, mask: [] })
  for (const role of ROLES) await admin('POST', `${organization}/roles`, role)
  await admin('POST', `${project}/release-policies`, {
    name: 'Production',
    priority: 10,
    match: { environments: [LIVE_ENVIRONMENT] },
    approvers: { min_count: 1, roles: [RISK_OFFICER, 'admin'], exclude_authors: true },
    auto_run_tests: true,
    // The closing of the books: the first hours of a month.
    freeze_window: { cron: '0 0 1 * *', duration: '4h' },
  })
}

/** Bind the engine to both environments once it has registered, or resolve with the signal. */
async function bindEngine(admin: Ask, project: string, name: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const servers = itemsOf(await admin('GET', '/api/v1/servers'))
    const server = servers.find((one) => fieldOf(one, 'name') === name && fieldOf(one, 'healthy') === true)
    if (server !== undefined) {
      const server_ids = [textOf(server, 'id')]
      for (const environment of ['staging', LIVE_ENVIRONMENT])
        await admin('PUT', `${project}/server`, { environment, server_ids })
      return
    }
    await delay(POLL_INTERVAL_MS)
  }
}

/** Two people join the organization. `example.com` is reserved for examples, so no mail reaches anyone. */
function invite(admin: Ask, organization: string, signal: AbortSignal) {
  const join = async (email: string, name: string, role: string): Promise<Ask> => {
    const invited = await admin('POST', `${organization}/members`, { email, roles: [role] })
    return acceptInvitation(textOf(fieldOf(invited, 'invitation'), 'url'), name, signal)
  }
  return Promise.all([
    join('ana.keller@example.com', 'Ana Keller', AUTHOR),
    join('mira.okafor@example.com', 'Mira Okafor', RISK_OFFICER),
  ])
}

/** Who makes and approves releases. */
interface Team {
  readonly ana: Ask
  readonly mira: Ask
  readonly project: string
  readonly signal: AbortSignal
}

/** The path of a new release of saves, by ruleset. */
async function request({ ana, project }: Team, purpose: Purpose, saves: Readonly<Record<string, number>>) {
  const release = await ana('POST', `${project}/releases`, {
    ...purpose,
    rulesets: Object.entries(saves).map(([name, from_seq]) => ({ name, from_seq })),
    environments: ['staging', LIVE_ENVIRONMENT],
  })
  return `${project}/releases/${textOf(release, 'id')}`
}

const RUNNING: ReadonlySet<Value> = new Set(['executing', 'rolling_back'])

/** Approve and start a release; resolves once it is live or rolled back, or with the signal. */
async function execute({ ana, mira, signal }: Team, release: string): Promise<void> {
  await mira('POST', `${release}/approve`, { comment: 'Approved by the demonstration' })
  await ana('POST', `${release}/execute`, {})
  while (!signal.aborted && RUNNING.has(fieldOf(await ana('GET', release), 'status'))) await delay(POLL_INTERVAL_MS)
}

/** Resolves once enough decisions of a ruleset are recorded, or with the signal. */
async function recorded({ ana, project, signal }: Team, ruleset: string): Promise<void> {
  const decisions = `${project}/rulesets/${ruleset}/decisions?environment=${LIVE_ENVIRONMENT}&limit=${ENOUGH_RECORDED}`
  while (!signal.aborted && itemsOf(await ana('GET', decisions)).length < ENOUGH_RECORDED) await delay(POLL_INTERVAL_MS)
}

const canaryOf = (seconds: number, requests: number, on_inconclusive: 'hold' | 'promote'): Value => ({
  stages: [{ percent: 50, duration_s: seconds, min_requests: requests }],
  on_failure: 'rollback',
  on_inconclusive,
})

/** The draft of a ruleset, whose changes start from the content at the beginning. */
class Draft {
  readonly #ask: Ask
  readonly #path: string
  readonly #content: Value
  #seq: number

  private constructor(ask: Ask, path: string, draft: Value) {
    this.#ask = ask
    this.#path = path
    this.#content = fieldOf(draft, 'ruleset')
    this.#seq = Number(fieldOf(draft, 'seq'))
  }

  static async of(ask: Ask, project: string, name: string): Promise<Draft> {
    const path = `${project}/rulesets/${name}`
    return new Draft(ask, path, await ask('GET', path))
  }

  /** The number of the save. */
  async save(change: (content: Value) => Value): Promise<number> {
    await this.#ask('POST', this.#path, { ruleset: change(this.#content), expected_seq: this.#seq })
    this.#seq += 1
    return this.#seq
  }
}
