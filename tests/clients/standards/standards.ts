import assert from 'node:assert/strict'
import { copyFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { delimiter, join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import {
  allPages,
  RECORD_IDS,
  SCENARIO_ROWS,
  type Send,
  storeRulesets,
  writeMappings,
} from '../../standards/access-scenarios.testing.ts'
import { CHROMIUM } from '../../studio/chromium.testing.ts'
import { type Check, LeftOut } from '../check.ts'
import { run } from '../command.ts'
import { type Server, TOKEN, tokenOptions, withServer } from '../server.ts'
import { go, javaLibraries, openFeaturePackages, openFeaturePython } from '../tools.ts'

const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }

async function post(url: string, body: unknown): Promise<number> {
  const reply = await fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) })
  await reply.arrayBuffer()
  return reply.status
}

const ruleset = (percent: number) => ({
  config: { name: 'shop', version: '1.0.0', entry_step: 'check' },
  steps: {
    check: {
      id: 'check',
      type: 'decision',
      branches: [
        { condition: 'tier == "broken" && 1 / 0 > 1', next_step: 'gold' },
        { condition: 'tier == "gold" && order.total > 10', next_step: 'gold' },
      ],
      default_next: 'other',
    },
    gold: {
      id: 'gold',
      type: 'terminal',
      result: {
        code: 'GOLD',
        message: 'gold customers',
        output: [
          ['percent', String(percent)],
          ['share', '12.5'],
          ['on', 'true'],
          ['who', 'user.id'],
          ['map', '{"a": 1}'],
          ['list', '[1, 2]'],
        ],
      },
    },
    other: { id: 'other', type: 'terminal', result: { code: 'OTHER', message: '' } },
  },
})

const flag = (value: string, type: string) => ({ ruleset: 'shop', value, type })
const FLAGS = {
  on: flag('output.on', 'boolean'),
  enabled: { ruleset: 'shop', on: ['GOLD'] },
  disabled: { ruleset: 'shop', on: ['OTHER'] },
  mistyped: flag('output.percent', 'boolean'),
  gone: { ruleset: 'not-stored' },
  text: flag('code', 'string'),
  who: { ...flag('output.who', 'string'), targeting: 'user.id' },
  whole: flag('output.percent', 'integer'),
  share: flag('output.share', 'float'),
  'whole-as-float': flag('output.percent', 'float'),
  map: flag('output.map', 'object'),
  list: flag('output.list', 'object'),
}

/** The flags that each client evaluates by type, and its lines: value, and the code of an error. */
const ASKED = {
  BOOLEANS: 'on enabled disabled mistyped gone missing text',
  TEXTS: 'text who',
  WHOLES: 'whole',
  FRACTIONS: 'share whole-as-float',
  OBJECTS: 'map list',
} as const
const LINES = `on true
enabled true
disabled false
mistyped false GENERAL
gone false FLAG_NOT_FOUND
missing false FLAG_NOT_FOUND
text false TYPE_MISMATCH
text "GOLD"
who "ada"
whole 15
share 12.5
whole-as-float 15
map {"a":1}
list [1,2]
`

const options = (folder: string) => {
  const file = join(folder, 'flags.json')
  writeFileSync(file, JSON.stringify({ flags: FLAGS }))
  return [...tokenOptions(folder), '--ofrep', 'list', '--ofrep-config', file, '--cors-origin', '*']
}

/** Runs a client against a server that requires a token. */
const provider = (
  name: string,
  use: (server: Server, env: Readonly<Record<string, string>>) => Promise<string>,
): Check => ({
  name: `OFREP: ${name}`,
  run: () =>
    withServer(options, async (server) => {
      assert.equal(await post(`${server.url}/api/v1/rulesets`, ruleset(15)), 201)
      return use(server, { ENGINE_URL: server.url, ENGINE_TOKEN: TOKEN, ...ASKED })
    }),
})

/** Python writes a float with its point. */
const PYTHON_LINES = LINES.replace('whole-as-float 15\n', 'whole-as-float 15.0\n')
const JAVA_LINES = PYTHON_LINES
const SEEN = `${LINES.trim().split('\n').length} flags of every type, absent, failing and mistyped ones`

/** Reads the flags in a page, changes the ruleset, and sees the change arrive. */
async function readInPage(page: Page, url: string): Promise<void> {
  const read = (key: string, initial: unknown) =>
    page.evaluate(([one, other]) => (globalThis as unknown as PageFlags).flag(one, other), [key, initial] as const)
  await page.evaluate(([one, token]) => (globalThis as unknown as PageFlags).openFlags(one, token), [
    url,
    TOKEN,
  ] as const)
  const found = [
    await read('on', false),
    await read('text', ''),
    await read('whole', 0),
    await read('map', {}),
    await read('mistyped', false),
    await read('missing', false),
  ]
  assert.deepEqual(found, [true, 'GOLD', 15, { a: 1 }, 'GENERAL', 'FLAG_NOT_FOUND'])
  // The flags are polled; with the same entity tag nothing changes.
  await page.waitForResponse((response) => response.status() === 304)
  assert.equal(await page.evaluate(() => (globalThis as unknown as PageFlags).changes), 0)
  assert.equal(await post(`${url}/api/v1/rulesets`, ruleset(20)), 200)
  await page.waitForFunction(() => (globalThis as unknown as PageFlags).changes > 0)
  assert.equal(await read('whole', 0), 20)
  await page.evaluate(() => (globalThis as unknown as PageFlags).become({ targetingKey: 'bob', tier: 'silver' }))
  assert.deepEqual([await read('enabled', true), await read('text', '')], [false, 'OTHER'])
}

interface PageFlags {
  readonly openFlags: (url: string, token: string) => Promise<void>
  readonly flag: (key: string, initial: unknown) => unknown
  readonly become: (context: object) => Promise<void>
  readonly changes: number
}

/** The script of the page with the provider that it imports. */
async function bundledPage(folder: string): Promise<string> {
  const packages = await openFeaturePackages()
  const input = join(packages, 'page.mjs')
  copyFileSync(join(import.meta.dirname, 'page.mjs'), input)
  const build = await rolldown({ input, platform: 'browser', logLevel: 'silent' })
  const { output } = await build.write({ file: join(folder, 'page.js'), format: 'iife' })
  await build.close()
  return output[0].code
}

/** Serves an empty page with a script, from another origin than the engine. */
async function withPage(script: string, use: (page: Page) => Promise<void>): Promise<void> {
  if (CHROMIUM === undefined) throw new LeftOut('Chromium is not installed')
  const site = createServer((_request, response) => {
    response
      .setHeader('content-type', 'text/html')
      .end(`<!doctype html><script>${script.replaceAll('</', String.raw`<\/`)}</script>`)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const place = site.address()
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${typeof place === 'object' ? place?.port : ''}/`)
    await use(page)
  } finally {
    await browser.close()
    site.close()
    site.closeAllConnections()
  }
}

/** The scenarios of AuthZEN against a server with workers. */
const scenarios = (workers: number): Check => ({
  name: `AuthZEN: certification and interoperability, ${workers} ${workers === 1 ? 'process' : 'workers'}`,
  run: () =>
    withServer(
      (folder) => [...writeMappings(folder), '--multi-tenancy-enabled', '--workers', String(workers)],
      async ({ url }) => {
        const send: Send = async (path, body, headers) => {
          const text = typeof body === 'string' ? body : JSON.stringify(body)
          const all = { 'content-type': 'application/json', connection: 'close', ...headers }
          const reply = await fetch(`${url}${path}`, { method: 'POST', headers: all, body: text })
          return { status: reply.status, headers: Object.fromEntries(reply.headers), body: await reply.json() }
        }
        await storeRulesets(send)
        for (const { level, name, path, body, headers, fault } of SCENARIO_ROWS)
          assert.equal(fault(await send(path, body, headers)), undefined, `${level}: ${name}`)
        const search = {
          subject: { type: 'user', id: 'alice' },
          action: { name: 'view' },
          resource: { type: 'record' },
        }
        assert.deepEqual(await allPages(send, '/search/access/v1/search/resource', search, 7), RECORD_IDS)
        const levels = new Set(SCENARIO_ROWS.map(({ level }) => level))
        return `${SCENARIO_ROWS.length} requests of ${levels.size} levels and scenarios, pages`
      },
    ),
})

export const STANDARDS: readonly Check[] = [
  scenarios(1),
  scenarios(3),
  provider('JavaScript server', async (_, env) => {
    const folder = await openFeaturePackages()
    const program = join(folder, 'server.mjs')
    copyFileSync(join(import.meta.dirname, 'server.mjs'), program)
    assert.equal(await run('node', [program], { env }), LINES)
    return SEEN
  }),
  provider('JavaScript web in Chromium', async ({ folder, url }) => {
    const script = await bundledPage(folder)
    await withPage(script, (page) => readInPage(page, url))
    return 'all flags at once, 304 for the same ones, a change of the ruleset, another context'
  }),
  provider('Go', async ({ folder }, env) => {
    const source = join(folder, 'go')
    mkdirSync(source)
    cpSync(join(import.meta.dirname, 'go'), source, { recursive: true })
    await go(['build', '-o', 'check', '.'], source)
    assert.equal(await run(join(source, 'check'), [], { cwd: source, env }), LINES)
    return SEEN
  }),
  provider('Java', async ({ folder }, env) => {
    const libraries = join(await javaLibraries(join(import.meta.dirname, 'java/pom.xml')), '*')
    const classes = join(folder, 'classes')
    await run('javac', ['-cp', libraries, '-d', classes, join(import.meta.dirname, 'java/Flags.java')])
    const output = await run('java', ['-cp', `${classes}${delimiter}${libraries}`, 'Flags'], { env })
    assert.equal(output, JAVA_LINES)
    return SEEN
  }),
  provider('Python', async (_, env) => {
    const bin = await openFeaturePython()
    assert.equal(
      await run(join(bin, 'python'), ['-B', join(import.meta.dirname, 'python_client.py')], { env }),
      PYTHON_LINES,
    )
    return SEEN
  }),
]
