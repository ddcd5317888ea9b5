import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Ended } from '../programs.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { PASSWORD } from './platform.testing.ts'
import { charging, granting, type Releasing, startReleasing } from './rollouts.testing.ts'
import { made } from './team.testing.ts'

const BIN = join(import.meta.dirname, '../../node_modules/.bin')

const database = useDatabase('postgres')
const home = mkdtempSync(join(tmpdir(), 'engine-command-'))
let place: Releasing
let email: string
/** A session counts for the public URL alone. */
let url: string
beforeAll(async () => {
  place = await startReleasing(database())
  url = place.platform.url.replace('127.0.0.1', 'localhost')
  email = (await place.get('/api/v1/me')).user.email
})
afterAll(async () => {
  await place.stop()
  rmSync(home, { recursive: true, force: true })
})

/** Run `engine` until it exits. */
function engine(
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: object } = {},
): Promise<Ended> {
  const all = { PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}`, XDG_CONFIG_HOME: home, ...env }
  return new Promise((resolve) => {
    const child = execFile(join(BIN, 'engine'), [...args], { env: all }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr }),
    )
    child.stdin?.end(input)
  })
}

const session = () => join(home, 'engine/session.json')
const login = () => engine(['login', '--url', url, '--email', email], { input: `${PASSWORD}\n` })
const about = (name: string) => ['--project', place.team.project, '--ruleset', name, '--environment', 'prod']

test('the action for GitHub calls commands with existing options', async () => {
  const script = readFileSync(join(import.meta.dirname, '../../deploy/action/release.sh'), 'utf8')
  const shared = [...script.matchAll(/what\+=\("(--\w+)=/g)].map(([, option = '']) => option)
  expect(shared).toEqual(['--ruleset', '--environment'])
  const calls = Array.from(script.matchAll(/engine release (\w+)(.*)/g), ([, name = '', rest = '']) => ({
    name,
    options: [
      ...(rest.includes('${what[@]}') ? shared : []),
      ...[...rest.matchAll(/ "(--[\w-]+)=/g)].map(([, option = '']) => option),
    ],
  }))
  expect(calls.map(({ name }) => name)).toEqual(['preview', 'create', 'execute', 'watch'])
  for (const { name, options } of calls) {
    const { code, stdout } = await engine(['release', name, '--help'])
    expect([code, options.filter((option) => !stdout.includes(option))]).toEqual([0, []])
  }
})

describe('engine login', () => {
  test('keeps a session that its owner alone can read, and no password; logout ends it', async () => {
    expect(await login()).toEqual({ code: 0, stdout: `signed in at ${url} as ${email}\n`, stderr: '' })
    expect((statSync(session()).mode & 0o777).toString(8)).toBe('600')
    const text = readFileSync(session(), 'utf8')
    expect(text).not.toContain(PASSWORD)
    const { cookie } = JSON.parse(text)
    const me = () => fetch(`${place.platform.url}/api/v1/me`, { headers: { cookie } })
    expect((await me()).status).toBe(200)
    expect((await engine(['logout'])).code).toBe(0)
    expect((await me()).status).toBe(401)
    expect(() => readFileSync(session())).toThrow('ENOENT')
  })

  test('reports the error', async () => {
    const args = ['login', '--url', url, '--email', email]
    expect(await engine(args, { input: 'wrong password' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('401'),
    })
    expect(await engine(args)).toMatchObject({ code: 1, stderr: expect.stringContaining('a password is needed') })
    expect(await engine(['login'])).toMatchObject({ code: 2 })
    expect(await engine(['login', '--email', email, '--url', 'http://127.0.0.1:1'], { input: 'x' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be reached'),
    })
  })
})

describe('engine release', () => {
  test('takes a change from a preview to the engines', async () => {
    await place.serving('prod')
    await place.save('fees', charging('fees', '2'))
    expect((await login()).code).toBe(0)
    const preview = await engine(['release', 'preview', ...about('fees')])
    expect([preview.code, preview.stderr]).toEqual([0, ''])
    expect(preview.stdout).toBe('fees in prod: new\nprod: needs 1 approval\nThe release can be made.\n')
    const creating = await engine(['release', 'create', ...about('fees@1'), '--title', 'double'])
    const [line, id = ''] = creating.stdout.trim().split('\n')
    expect(line).toMatch(/^release \d+ “double” is pending_approval$/)
    const at = ['--project', place.team.project, id]
    expect((await engine(['release', 'execute', ...at])).stderr).toContain('409')
    const executing = engine(['release', 'execute', ...at, '--wait', '2'])
    expect((await engine(['release', 'approve', ...at, '--comment', 'fine'])).stdout).toMatch(
      /^release \d+ is approved\n$/,
    )
    const watching = engine(['release', 'watch', ...at, '--timeout', '2'])
    expect(await executing).toMatchObject({ code: 0, stderr: '' })
    const watched = await watching
    expect([watched.code, watched.stderr], watched.stdout).toEqual([0, ''])
    expect(watched.stdout.trim().split('\n').at(-1)).toMatch(/is completed$/)
    expect(watched.stdout).toMatch(/ {2}execution_started/)
    expect(watched.stdout.match(/execution_completed/g)).toHaveLength(1)
    expect((await place.decide('prod', 'fees')).body.output.fee).toBeGreaterThan(0)
    const shown = await engine(['release', 'create', ...about('fees'), '--json'])
    expect(JSON.parse(shown.stdout)).toMatchObject({ rulesets: [{ name: 'fees', from_seq: 1 }] })
  })

  test('by a key makes, but approves nothing', async () => {
    await place.save('tax', charging('tax', '3'))
    const scopes = ['project.read', 'release.create', 'release.approve', 'release.execute']
    const { token } = await made(place.team.owner.request('POST', `${place.team.O}/api-keys`, { name: 'ci', scopes }))
    const env = { ENGINE_API_KEY: token, ENGINE_PLATFORM_URL: place.platform.url, XDG_CONFIG_HOME: join(home, 'none') }
    const created = await engine(['release', 'create', ...about('tax')], { env })
    const id = created.stdout.trim().split('\n').at(-1) ?? ''
    const approved = await engine(['release', 'approve', '--project', place.team.project, id], { env })
    expect(approved).toMatchObject({ code: 1, stderr: expect.stringContaining('403') })
    expect((await place.post(`${place.team.P}/releases/${id}/cancel`)).status).toBe(200)
    const watched = await engine(['release', 'watch', '--project', place.team.project, id], { env })
    expect(watched).toMatchObject({ code: 1, stdout: expect.stringContaining('is cancelled') })
  })

  test('that cannot be created ends a preview with 1 and the reason', async () => {
    await place.save('bad', { config: { name: 'bad' }, startStepId: 'no', steps: [] })
    expect((await login()).code).toBe(0)
    const { code, stdout } = await engine(['release', 'preview', ...about('bad')])
    expect([code, stdout]).toEqual([1, expect.stringContaining('blocked: /rulesets/0')])
    expect(await engine(['release', 'create', ...about('unknown')])).toMatchObject({ code: 1, stdout: '' })
  })

  test('executes with the changes of results that are expected', async () => {
    await place.serving('prod')
    expect((await login()).code).toBe(0)
    const path = await place.release(
      [{ name: 'goods', from_seq: await place.save('goods', granting('goods', 60)) }],
      'prod',
    )
    await place.post(`${path}/execute`)
    await place.reaches(path, 'completed')
    const next = await place.release(
      [{ name: 'goods', from_seq: await place.save('goods', granting('goods', 20)) }],
      'prod',
    )
    const at = ['release', 'execute', '--project', place.team.project, next.split('/').at(-1) ?? '']
    const wrong = await engine([...at, '--expect', 'DENIED->GRANTED'])
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('it names `GRANTED->DENIED`')])
    expect((await engine([...at, '--expect', 'GRANTED->DENIED<=12.5%'])).code).toBe(0)
    expect((await place.get(`${next}/execution`)).expected).toEqual([
      { from: 'GRANTED', to: 'DENIED', share: 0.125, environments: ['prod'] },
    ])
    await place.reaches(next, 'completed')
  })

  const SAVED = ['--ruleset', 'a', '--environment', 'prod']
  test.each<[why: string, args: readonly string[], env: Readonly<Record<string, string>>, message: string]>([
    ['no URL', ['release', 'watch', '--project', 'x', '--url', 'nonsense', 'y'], {}, 'Not a URL of http or https'],
    ['a URL of another scheme', ['login', '--email', 'a', '--url', 'ftp://x'], {}, 'Not a URL of http or https'],
    [
      'no URL in the environment',
      ['login', '--email', 'a'],
      { ENGINE_PLATFORM_URL: 'x' },
      'Not a URL of http or https',
    ],
    ['no platform to sign in at', ['login', '--email', 'a'], {}, '--url'],
    ['no project', ['release', 'watch', 'y'], {}, '--project'],
    ['a project that is not an id', ['release', 'watch', '--project', '../x', 'y'], {}, 'Not an id'],
    ['an empty project', ['release', 'watch', 'y'], { ENGINE_PROJECT: '' }, 'Not an id'],
    ['a release that is not an id', ['release', 'approve', '--project', 'x', '../y'], {}, 'Not an id'],
    ['no release', ['release', 'execute', '--project', 'x'], {}, 'release'],
    ['no time', ['release', 'watch', '--project', 'x', '--timeout', 'soon', 'y'], {}, 'Not a number of minutes'],
    ['one result', ['release', 'execute', '--project', 'x', '--expect', 'A->', 'y'], {}, 'Not two results'],
    ['no ruleset', ['release', 'create', '--project', 'x', '--environment', 'prod'], {}, '--ruleset'],
    [
      'a save that is not a number',
      ['release', 'preview', '--project', 'x', ...SAVED, '-r', 'b@1x'],
      {},
      'number of a save',
    ],
  ])('called with %s ends with 2 and a message', async (_, args, env, message) => {
    const { code, stdout, stderr } = await engine(args, { env })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
  })

  test('shows what a change is, and what is only a warning', async () => {
    await place.serving('prod')
    await place.reaches(await place.deploy('rates', '2', 'prod'), 'completed')
    await place.save('rates', charging('rates', '7'))
    const path = `${place.team.P}/environments/prod/canary`
    const short = { stages: [{ percent: 5, duration_s: 10 }] }
    expect((await place.team.owner.request('PUT', path, short)).status).toBe(200)
    onTestFinished(async () => void (await place.team.owner.request('PUT', path, { stages: [] })))
    expect((await login()).code).toBe(0)
    const { code, stdout } = await engine(['release', 'preview', ...about('rates')])
    expect(code, stdout).toBe(0)
    const [head, ...lines] = stdout.split('\n')
    expect(head).toBe('rates in prod: changes')
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}step \w+ .* -> .*7/))
    expect(stdout).toContain('\nwarning: /environments ')
    expect(stdout).not.toContain('blocked')
  })

  test('by a key goes to the platform of the session where none is named, as the key', async () => {
    expect((await login()).code).toBe(0)
    const env = { ENGINE_API_KEY: 'eng_key_unknown' }
    const { code, stderr } = await engine(['release', 'preview', ...about('fees')], { env })
    expect([code, stderr]).toEqual([1, expect.stringContaining('401')])
  })

  test('without a session, or with a damaged one, explains what to do', async () => {
    const env = { XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'engine-none-')) }
    onTestFinished(() => rmSync(env.XDG_CONFIG_HOME, { recursive: true, force: true }))
    const args = ['release', 'watch', '--project', 'x', 'y']
    expect((await engine(args, { env })).stderr).toContain('engine login')
    expect((await login()).code).toBe(0)
    const other = await engine([...args, '--url', 'http://127.0.0.1:9'])
    expect(other.stderr).toContain('the session is one of')
    writeFileSync(session(), '{"url": 1}')
    expect((await engine(args)).stderr).toContain('not a session file')
  })

  test.each([
    ['words', []],
    ['JSON', ['--json']],
  ])(
    'watch receives each event once, even when the platform is unavailable and the stream breaks off, as %s',
    async (_, flags) => {
      const event = (id: number, type: string) =>
        `id: ${id}\nevent: ${type}\ndata: {"id":${id},"type":"${type}","at":"t","status":"executing","data":{}}\n\n`
      let asked = 0
      let looks = 0
      let status = 'executing'
      const froms: (string | undefined)[] = []
      const server = createServer((request, response) => {
        if (looks++ === 0) return response.writeHead(503).end()
        if (request.url?.endsWith('/events') !== true)
          return response.end(
            JSON.stringify({ id: 'r', number: 1, title: 'x', status, content_digest: 'd', execution_id: 'e' }),
          )
        froms.push(request.headers['last-event-id'] as string | undefined)
        asked++
        if (asked === 1)
          return void response.write(`${event(1, 'execution_started')}id: 2\nevent: x\nda`, () => response.destroy())
        if (asked === 2) return response.writeHead(429).end()
        if (asked === 3) {
          status = 'completed'
          return response.end(event(2, 'execution_completed'))
        }
        response.writeHead(204)
        return response.end()
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      onTestFinished(() => void server.close())
      const env = {
        ENGINE_API_KEY: 'k',
        ENGINE_PLATFORM_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      }
      const { code, stdout } = await engine(['release', 'watch', '--project', 'p', ...flags, 'r'], { env })
      expect([code, froms]).toEqual([0, [undefined, '1', '1', '2']])
      expect(stdout.match(/execution_(started|completed)/g)).toEqual(['execution_started', 'execution_completed'])
      if (flags.length === 0) return
      const answers = stdout.trim().split('\n')
      expect(answers.map((line) => JSON.parse(line)).map(({ type, number }) => type ?? number)).toEqual([
        1,
        'execution_started',
        'execution_completed',
        1,
      ])
    },
  )
})
