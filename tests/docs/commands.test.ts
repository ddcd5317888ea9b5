import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS } from '../../apps/engine-tools/src/command-table.ts'
import { engineClient } from '../grpc/client.testing.ts'
import { startServer, type TestServer } from '../http/server.testing.ts'
import { runTool } from '../programs.testing.ts'
import { blockOf, blocksOf, ROOT } from './page.testing.ts'
import { type Command, commandsOf, curl, expectation, localOptions } from './shell.testing.ts'

/**
 * The commands of the pages work as the pages describe. A page is read from top to bottom: a block may use the rulesets that an
 * earlier one stored. A block that starts a server uses it, the others one with the examples.
 */

/** Pages with commands that call a server or are tools of ours. */
const PAGES = [
  'README.md',
  'docs/analysis.md',
  'docs/getting-started.md',
  'docs/get-started/data.md',
  'docs/get-started/developer.md',
  'docs/get-started/operator.md',
  'docs/http.md',
  'docs/ofrep.md',
  'docs/receipts.md',
  'docs/operations.md',
  'docs/access.md',
  'docs/tenants.md',
  'docs/signing.md',
  'docs/checking.md',
  'docs/maintenance.md',
  'docs/migrating.md',
  'docs/filters.md',
  'docs/grpc.md',
]
/** Run by tests/platform/quick-start.test.ts and authoring-page.test.ts, with a platform. */
const OF_PLATFORM = ['docs/platform/quick-start.md', 'docs/platform/authoring.md']
/** Executed by coming-from.test.ts, which compares the output. */
const OF_IMPORTS = [
  'docs/coming-from-gorules.md',
  'docs/coming-from-dmn.md',
  'docs/coming-from-json-rules-engine.md',
  'docs/table-in-five-minutes.md',
  'docs/get-started/rule-author.md',
  'docs/command-line.md',
]
/** Executed by prove-a-decision.test.ts. */
const OF_RECEIPTS = ['docs/prove-a-decision.md']
const OF_OTHERS = ['verify-receipt', 'serve', 'platform', 'login', 'logout', 'release']
/** Commands of `engine` that need neither a platform nor receipts. */
const TOOLS = new RegExp(
  `npx --no-install engine (?:${COMMANDS.map(({ name }) => name)
    .filter((name) => !OF_OTHERS.includes(name))
    .join('|')})(?= |$)`,
  'm',
)
const isRun = (text: string) => /^(?:curl|grpcurl) /m.test(text) || TOOLS.test(text)

/** A project for docs/checking.md. */
const TEMPLATE = 'apps/platform-server/templates/tax'

/** The ruleset that pages call `limit`: what docs/checking.md shows cases of. */
const LIMIT = {
  config: { name: 'limit', version: '1.0.0' },
  steps: {
    start: {
      id: 'start',
      type: 'decision',
      branches: [{ condition: 'exists(id)', next_step: 'ask' }],
      default_next: 'age',
    },
    ask: {
      id: 'ask',
      type: 'action',
      actions: [
        {
          action: 'external_call',
          service: 'network.http',
          method: 'get',
          params: [['url', '"https://scores.example.com"']],
          result_variable: 'score',
        },
      ],
      next_step: 'scored',
    },
    scored: {
      id: 'scored',
      type: 'decision',
      branches: [{ condition: '$score.payload.json_body.score >= 700', next_step: 'approved' }],
    },
    age: { id: 'age', type: 'decision', branches: [{ condition: 'coalesce(age, 0) >= 0', next_step: 'adult' }] },
    adult: { id: 'adult', type: 'terminal', result: { code: 'ADULT', message: '', limit: 500 } },
    approved: { id: 'approved', type: 'terminal', result: { code: 'APPROVED', message: '' } },
  },
}

describe.each(PAGES)('%s', (page) => {
  const directory = mkdtempSync(join(tmpdir(), 'engine-docs-'))
  const started: TestServer[] = []
  let own: TestServer

  beforeAll(async () => {
    mkdirSync(join(directory, 'run'))
    cpSync(join(ROOT, 'examples'), join(directory, 'examples'), { recursive: true })
    writeFileSync(join(directory, 'limit.json'), JSON.stringify(LIMIT))
    if (page === 'docs/checking.md') {
      cpSync(join(ROOT, TEMPLATE), join(directory, TEMPLATE), { recursive: true })
      mkdirSync(join(directory, 'rules'))
      writeFileSync(join(directory, 'rules/limit.json'), JSON.stringify(LIMIT))
      writeFileSync(join(directory, 'rules/limit.cases.json'), blockOf(page, 'Cases', 'json'))
    }
    if (page === 'docs/maintenance.md') {
      mkdirSync(join(directory, 'rules'))
      writeFileSync(join(directory, 'rules/limit.json'), JSON.stringify(LIMIT))
    }
    if (page === 'docs/migrating.md') {
      const end = { id: 'end', type: 'terminal', result: { code: 'A', message: '' } }
      mkdirSync(join(directory, 'rules'))
      writeFileSync(
        join(directory, 'rules/a.json'),
        JSON.stringify({ config: { name: 'a', entry_step: 'end' }, steps: { end } }),
      )
    }
    const place = ['--rules-dir', join(directory, 'served'), '--uds-path', join(directory, 'run/engine.sock')]
    own = await startServer(...place, '--seed-dir', join(ROOT, 'examples'), '--grpc-addr', '127.0.0.1:0')
  })
  afterEach(() => Promise.all(started.splice(0).map((server) => server.stop())))
  afterAll(async () => {
    await own.stop()
    rmSync(directory, { recursive: true })
  })

  /** Runs one command; a server that it starts answers the commands after it. */
  async function run({ program, args, answer }: Command, server: TestServer): Promise<TestServer> {
    // `npx --no-install` runs programs of this repository only.
    const [first = '', ...rest] = args.filter((arg) => arg !== '--no-install')
    if (program === 'curl') {
      const reply = await curl(args, server, directory)
      const wanted = expectation(answer)
      expect(String(reply.status), reply.text).toMatch(wanted.status)
      expect(reply.text).toMatch(wanted.text)
    } else if (program === 'grpcurl') {
      const at = args.indexOf('-d')
      // `list` takes no message: tests/grpc has the reflection.
      if (at < 0) return server
      const client = engineClient(server.grpc)
      const method = args.at(-1)?.split('/')[1] ?? ''
      expect(await client.call(method, JSON.parse(args[at + 1] ?? ''))).toHaveProperty('message')
      client.close()
    } else if (first === 'engine-server') {
      const next = await startServer(...localOptions(rest, directory))
      started.push(next)
      return next
    } else {
      const ended = await runTool(first, rest, directory)
      expect(ended.code, ended.stdout + ended.stderr).toBe(0)
    }
    return server
  }

  test.each(blocksOf(page).filter(({ language, text }) => language === 'sh' && isRun(text)))(
    '$heading',
    async ({ text }) => {
      let server = own
      for (const command of commandsOf(text, directory)) server = await run(command, server)
    },
  )
})

test('every page with such commands is among them', () => {
  const all = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT, exclude: ['docs/specification/**'] })]
  const pages = all
    .filter((page) => ![...OF_PLATFORM, ...OF_IMPORTS, ...OF_RECEIPTS].includes(page))
    .filter((page) => blocksOf(page).some(({ language, text }) => language === 'sh' && isRun(text)))
  expect(pages.toSorted()).toEqual(PAGES.toSorted())
})
