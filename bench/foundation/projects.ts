import type { ProbedPlace } from '../loop-delay/place.ts'
import type { Request } from '../loop-delay/requests.ts'
import { tableOf } from '../authoring/documents.ts'
import { smallest } from './engines.ts'

/** Environments of a project on one page, paths of a mask, policies, webhooks. */
const [PAGE, PATHS] = [200, 1000] as const
/** Bytes of all files of an archive, and their number. */
const [ARCHIVE, FILES] = [49 * 1024 * 1024, 19_000] as const
/** Bytes of each large ruleset of an archive. */
const RULESET = 9 * 1024 * 1024
/** Changes of the largest contract: each is audited with its previous version. */
const CHANGES = 20

/** Environments, policies and webhooks, as many as a page has and as large as they may be. */
export async function ofProjects({ org, send }: ProbedPlace, path: string): Promise<readonly Request[]> {
  // 500 characters each, of two bytes.
  const mask = Array.from({ length: PATHS }, (_, index) => `${index}.`.padEnd(500, 'é'))
  const recording = JSON.stringify({ rate: 1, mask })
  const environments = Array.from({ length: PAGE }, (_, index) => `place-${index}`)
  for (const name of environments) {
    await send('POST', `${path}/environments`, JSON.stringify({ name }))
    await send('PUT', `${path}/environments/${name}/recording`, recording)
  }
  let policies = 0
  const policy = () =>
    JSON.stringify({
      name: `Policy ${++policies}`.padEnd(200, 'x'),
      match: { environments: environments.slice(0, 100) },
      approvers: { roles: ['owner', 'admin', 'release.approve'] },
      freeze_window: { cron: '0-59/7 0-23/5 1-31/3 1-12/2 0-6', duration: '1d', time_zone: 'America/New_York' },
    })
  for (let index = 0; index < PAGE; index++) await send('POST', `${path}/release-policies`, policy())
  const webhook = JSON.stringify({ url: `https://example.org/${'p'.repeat(1900)}`, events: ['*'] })
  for (let index = 0; index < PAGE; index++) await send('POST', `${path}/webhooks`, webhook)
  const get = (title: string, to: string): Request => ({ title, status: 200, send: () => send('GET', path + to) })
  await send('POST', `${path}/rulesets/few`, smallest('few'))
  const release = JSON.stringify({
    title: 'first',
    rulesets: [{ name: 'few', from_seq: 1 }],
    environments: environments.slice(0, 50),
  })
  let made = 0
  return [
    {
      title: 'mask 1,000 paths of 500 characters',
      status: 200,
      send: () => send('PUT', `${path}/environments/place-0/recording`, recording),
    },
    get('200 environments with such masks', '/environments?limit=200'),
    {
      title: 'make a policy of 100 environments',
      status: 201,
      send: () => send('POST', `${path}/release-policies`, policy()),
    },
    get('200 policies of 100 environments', '/release-policies?limit=200'),
    {
      title: 'preview a release into 50 environments under 200 policies',
      status: 200,
      send: () => send('POST', `${path}/releases/preview`, release),
    },
    { title: 'make it', status: 201, send: () => send('POST', `${path}/releases`, release) },
    get('200 releases', '/releases?limit=200'),
    get('200 webhooks', '/webhooks?limit=200'),
    { title: 'audit of these changes, 200 entries', status: 200, send: () => send('GET', `${org}/audit?limit=200`) },
    {
      title: 'make a project and delete it',
      status: 204,
      async send() {
        const { text } = await send('POST', `${org}/projects`, JSON.stringify({ name: `Short ${++made}` }))
        return send('DELETE', `${org}/projects/${JSON.parse(text).id}`)
      },
    },
    { title: 'export it, which no archive holds', status: 400, send: () => send('GET', `${path}/export`) },
  ]
}

/** An archive as large as it may be, and the project that it becomes. */
export async function ofWholeProjects({ org, send }: ProbedPlace, path: string): Promise<readonly Request[]> {
  const { text } = await send(
    'POST',
    `${org}/projects/from-template`,
    JSON.stringify({ template_id: 'ecommerce-coupon', project_name: 'Shop of a template' }),
  )
  const { id } = JSON.parse(text)
  const exported = await send('GET', `${org}/projects/${id}/export`)
  const files = JSON.parse(exported.text).files as readonly { readonly path: string; readonly text: string }[]
  const fact = (index: number, length: number) => ({
    path: `facts/f${index}.json`,
    text: JSON.stringify({ name: `f${index}`, type: 'number', description: 'd'.repeat(length) }),
  })
  const archiveOf = (more: readonly { readonly path: string; readonly text: string }[]) =>
    JSON.stringify({ files: [...files, ...more] })
  const facts = (count: number, length: number) =>
    archiveOf(Array.from({ length: count }, (_, index) => fact(index, length)))
  const rulesets = archiveOf(
    Array.from({ length: 2 }, (_, index) => ({
      path: `rulesets/large-${index}.json`,
      text: JSON.stringify(tableOf(RULESET, `large-${index}`)),
    })),
  )
  const wrong = facts(FILES, Math.floor(ARCHIVE / FILES) - 200)
  const right = facts(1000, 2000)
  const dryRun = (title: string, archive: string): Request => ({
    title: `dry run of an import of ${title}`,
    status: 200,
    send: () => send('POST', `${path}/import?dry_run=true`, archive),
  })
  return [
    dryRun('49 MiB in 19,000 files that are wrong', wrong),
    dryRun('1,000 facts', right),
    dryRun('2 rulesets of 9 MiB', rulesets),
    { title: 'import them', status: 200, send: () => send('POST', `${path}/import`, rulesets) },
    { title: 'export them', status: 200, send: () => send('GET', `${path}/export`) },
  ]
}

/** The audit of changes of the largest documents. */
export async function ofAudit({ org, send }: ProbedPlace, path: string): Promise<readonly Request[]> {
  const project = path.split('/').at(-1)
  const values = Array.from({ length: 90_000 }, (_, index) => `value ${index} `.padEnd(100, 'x'))
  const fields = Array.from({ length: 90 }, (_, index) => ({
    name: `field${index}`,
    type: 'string',
    enum: values.slice(index * 1000, (index + 1) * 1000),
  }))
  const contract = (minor: number) =>
    JSON.stringify({
      name: 'largest',
      version: `1.${minor}.0`,
      input: { fields: [...fields, { name: `more${minor}`, type: 'string' }] },
      outputs: [{ code: 'DONE', fields: [] }],
    }).replace(`,{"name":"more${minor}","type":"string"}`, '')
  const first = await send('POST', `${path}/contracts`, contract(0))
  if (first.status !== 201) throw new Error(first.text.slice(0, 500))
  for (let minor = 1; minor <= CHANGES; minor++) {
    const { status, text } = await send('PUT', `${path}/contracts/largest`, contract(minor))
    if (status !== 200) throw new Error(text.slice(0, 500))
  }
  return [
    {
      title: `audit of ${CHANGES} changes of a contract of 9 MiB`,
      status: 200,
      send: () => send('GET', `${org}/audit?limit=200&project_id=${project}`),
    },
    {
      title: 'the same as lines',
      status: 200,
      send: () => send('GET', `${org}/audit?project_id=${project}`, undefined, 'application/x-ndjson'),
    },
  ]
}
