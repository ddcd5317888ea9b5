import { branchesOf, csvOf, longCases, subRuleOf, tableOf, wideCase } from './documents.ts'
import { ofCatalog, ofVersions } from './catalog.ts'
import type { ProbedPlace } from '../loop-delay/place.ts'
import type { Request, RequestsOf } from '../loop-delay/requests.ts'

/** Bytes below the limit of a document, and of a sub-rule. */
const [DOCUMENT, SUB_RULE] = [Number(process.env['MIB'] ?? 10) * 1024 * 1024 - 4096, 1024 * 1024 - 4096] as const

/** Bytes of each ruleset of the largest release. */
const PART = 256 * 1024

/** The measured requests, each in its own project. */
export const PARTS: Readonly<Record<string, RequestsOf>> = {
  Documents: ofDocuments,
  Saves: ofSaves,
  Releases: ofReleases,
  'Largest releases': ofLargestReleases,
  Suites: ofSuites,
  Archives: ofArchives,
  Catalog: ofCatalog,
  Versions: ofVersions,
  Assistants: ofAssistants,
}

/** Documents that are sent and not kept. */
function ofDocuments({ send }: ProbedPlace, path: string): readonly Request[] {
  const wide = JSON.stringify(tableOf(DOCUMENT, 'wide'))
  const broken = wide.replaceAll('">= ', '"> > ')
  const ask = (title: string, to: string, body: () => string, status = 200): Request => ({
    title,
    status,
    send: () => send('POST', path + to, body()),
  })
  return [
    ask('validate a table of 10 MiB', '/rulesets/wide/validate', () => `{"ruleset":${wide}}`),
    ask('validate one of which each row is wrong', '/rulesets/wide/validate', () => `{"ruleset":${broken}}`),
    ask('convert it, which an engine refuses', '/rulesets/wide/convert', () => `{"ruleset":${wide}}`, 400),
    ask('execute it, likewise', '/rulesets/wide/trace', () => `{"ruleset":${wide},"input":{}}`, 400),
    ask('execute a small one with an input of 10 MiB', '/rulesets/few/trace', () => {
      const [{ input }] = wideCase(DOCUMENT) as unknown as [{ readonly input: object }]
      return JSON.stringify({ ruleset: branchesOf(2000, 'few'), input })
    }),
  ]
}

/** A table of 10 MiB that is saved. */
async function ofSaves({ send }: ProbedPlace, path: string): Promise<readonly Request[]> {
  const draft = (first: number) => JSON.stringify(branchesOf(DOCUMENT, 'wide', first))
  const wide = draft(0)
  const one = `${path}/rulesets/wide`
  let seq = 0
  let subSeq = 0
  let copies = 0
  const save = (ruleset: string) => send('POST', one, `{"ruleset":${ruleset},"expected_seq":${seq++}}`)
  await save(draft(1_000_000))
  await save(wide)
  await save(wide)
  return [
    { title: 'save a draft of 10 MiB', status: 200, send: () => save(wide) },
    {
      title: 'save it with a stale number',
      status: 409,
      send: () => send('POST', one, `{"ruleset":${wide},"expected_seq":1}`),
    },
    { title: 'read it', status: 200, send: () => send('GET', one) },
    { title: 'read an earlier save', status: 200, send: () => send('GET', `${one}/saves/1`) },
    { title: 'what differs between two saves, all', status: 200, send: () => send('GET', `${one}/diff?from=1&to=2`) },
    {
      title: 'what differs between two saves, nothing',
      status: 200,
      send: () => send('GET', `${one}/diff?from=2&to=3`),
    },
    {
      title: 'restore a save',
      status: 200,
      send: () => send('POST', `${one}/saves/2/restore`, `{"expected_seq":${seq++}}`),
    },
    {
      title: 'duplicate it',
      status: 201,
      send: () => send('POST', `${one}/duplicate`, `{"name":"copy-${++copies}"}`),
    },
    {
      title: 'export it in the format of engines',
      status: 200,
      send: () => send('GET', `${one}/export?format=engine`),
    },
    {
      title: 'rename it',
      status: 200,
      async send() {
        const answer = await send('POST', `${one}/rename`, '{"name":"renamed"}')
        await send('POST', `${path}/rulesets/renamed/rename`, '{"name":"wide"}')
        seq += 2
        return answer
      },
    },
    { title: 'export it to JDM', status: 200, send: () => send('GET', `${one}/export?format=jdm`) },
    { title: 'publish it', status: 202, send: () => send('POST', `${one}/publish`, '{"environment":"dev"}') },
    {
      title: 'derive a contract',
      status: 200,
      send: () => send('POST', `${path}/contracts/derive`, '{"ruleset":"wide"}'),
    },
    {
      title: 'save a sub-rule of 1 MiB',
      status: 0,
      async send() {
        const body = JSON.stringify({ ...subRuleOf(SUB_RULE), expected_seq: subSeq++ })
        const { status, text } = await send('PUT', `${path}/sub-rules/steps`, body)
        return { status: status < 300 ? 0 : status, text }
      },
    },
    { title: 'read it', status: 200, send: () => send('GET', `${path}/sub-rules/steps`) },
  ]
}

/** Releases of a draft of 10 MiB over one that is live. */
async function ofReleases({ send }: ProbedPlace, path: string): Promise<readonly Request[]> {
  const one = `${path}/rulesets/wide`
  for (const first of [0, 1_000_000])
    await send(
      'POST',
      one,
      `{"ruleset":${JSON.stringify(branchesOf(DOCUMENT, 'wide', first))},"expected_seq":${first === 0 ? 0 : 1}}`,
    )
  await send('POST', `${one}/publish`, '{"environment":"dev","seq":1}')
  const body = JSON.stringify({ title: 'next', rulesets: [{ name: 'wide', from_seq: 2 }], environments: ['dev'] })
  let release = ''
  return [
    { title: 'preview a release of it', status: 200, send: () => send('POST', `${path}/releases/preview`, body) },
    {
      title: 'make a release of it',
      status: 201,
      async send() {
        const answer = await send('POST', `${path}/releases`, body)
        release = JSON.parse(answer.text).id
        return answer
      },
    },
    { title: 'what it changes', status: 200, send: () => send('GET', `${path}/releases/${release}/diff`) },
  ]
}

/** A release of as many rulesets and environments as it may have. */
async function ofLargestReleases({ send }: ProbedPlace, path: string): Promise<readonly Request[]> {
  const names = Array.from({ length: 100 }, (_, index) => `part-${index}`)
  for (const name of names)
    await send('POST', `${path}/rulesets/${name}`, JSON.stringify({ ruleset: tableOf(PART, name), expected_seq: 0 }))
  const environments = Array.from({ length: 50 }, (_, index) => `place-${index}`)
  for (const name of environments) await send('POST', `${path}/environments`, JSON.stringify({ name }))
  const rulesets = names.map((name) => ({ name, from_seq: 1 }))
  const body = JSON.stringify({ title: 'largest', rulesets, environments })
  return [
    {
      title: 'preview a release of 100 tables of 256 KiB into 50 environments',
      status: 200,
      send: () => send('POST', `${path}/releases/preview`, body),
    },
  ]
}

/** Suites of 10 MiB of a small ruleset. */
async function ofSuites({ send }: ProbedPlace, path: string): Promise<readonly Request[]> {
  const one = `${path}/rulesets/few`
  await send('POST', one, JSON.stringify({ ruleset: branchesOf(2000, 'few'), expected_seq: 0 }))
  const long = JSON.stringify(longCases())
  const wide = JSON.stringify(wideCase(DOCUMENT))
  const made = await send('POST', `${one}/tests`, `{"name":"kept","cases":${wide}}`)
  const { id } = JSON.parse(made.text)
  const make = (title: string, cases: string): Request => ({
    title,
    status: 201,
    send: () => send('POST', `${one}/tests`, `{"name":"s${Math.random()}","cases":${cases}}`),
  })
  return [
    make('make a suite of 10 MiB of long texts', long),
    make('make one of 10 MiB of small values', wide),
    { title: 'read it', status: 200, send: () => send('GET', `${one}/tests/${id}`) },
    { title: 'run it', status: 200, send: () => send('POST', `${one}/tests/${id}/run`, '{}') },
    { title: 'run all suites', status: 200, send: () => send('POST', `${one}/tests/run`, '{}') },
    { title: 'export all suites as YAML', status: 200, send: () => send('GET', `${one}/tests/export?format=yaml`) },
    { title: 'run all of the project', status: 200, send: () => send('POST', `${path}/tests/run`, '{}') },
    {
      title: 'replace cases by 10 MiB of JSON',
      status: 200,
      send: () => send('POST', `${one}/tests/import`, `{"cases":${long}}`),
    },
  ]
}

/** Whole projects, and documents of other formats. */
async function ofArchives({ org, send }: ProbedPlace, path: string): Promise<readonly Request[]> {
  const one = `${path}/rulesets/wide`
  await send('POST', one, `{"ruleset":${JSON.stringify(branchesOf(2 * 1024 * 1024, 'wide'))},"expected_seq":0}`)
  const { text: archive } = await send('GET', `${path}/export`, undefined, 'application/json')
  let imports = 0
  const csv = csvOf(100_000)
  return [
    { title: 'export a project of 2 MiB', status: 200, send: () => send('GET', `${path}/export`) },
    {
      title: 'import documents of CSV',
      status: 200,
      send: () => send('POST', `${path}/imports?format=csv&apply=true&name=sheet-${++imports}`, csv, 'text/csv'),
    },
    {
      title: 'make a project of a template',
      status: 201,
      send: () =>
        send(
          'POST',
          `${org}/projects/from-template`,
          JSON.stringify({ template_id: 'tax', project_name: `t${++imports}` }),
        ),
    },
    {
      title: 'import a project of 2 MiB into itself',
      status: 200,
      send: () => send('POST', `${path}/import`, JSON.stringify({ files: JSON.parse(archive).files })),
    },
  ]
}

/** Tools of assistants, whose messages are of 1 MiB at most, about a draft of 10 MiB. */
async function ofAssistants({ send, call }: ProbedPlace, path: string): Promise<readonly Request[]> {
  const project_id = path.split('/').at(-1)
  await send(
    'POST',
    `${path}/rulesets/wide`,
    `{"ruleset":${JSON.stringify(branchesOf(DOCUMENT, 'wide'))},"expected_seq":0}`,
  )
  const ruleset = branchesOf(SUB_RULE, 'sent')
  let seq = 0
  const tool = (name: string, given: () => object): Request => ({
    title: `tool ${name}`,
    status: 200,
    async send() {
      const params = { name, arguments: { project_id, ...given() } }
      const answer = await call('/api/v1/mcp', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
      const { result } = JSON.parse(answer.text)
      return result === undefined || result.isError === true ? { ...answer, status: 0 } : answer
    },
  })
  return [
    tool('validate', () => ({ ruleset })),
    tool('propose_draft', () => ({ ruleset, expected_seq: seq++ })),
    tool('get_ruleset', () => ({ name: 'wide' })),
    tool('explain', () => ({ name: 'wide', input: { a: 1 } })),
  ]
}
