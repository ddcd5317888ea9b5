import { makeFunction, type Value } from '@engine/expression'
import { performance } from 'node:perf_hooks'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../create-program.ts'
import { decodeRuleset } from '../decode.ts'
import { testHost, type TestHost } from '../host.testing.ts'
import type { RulesetDocument } from '../model.ts'
import type { Decision, ExecutionError, Host, Program } from '../program.ts'

/** A host with real clocks that counts pauses. */
function realHost(overrides: Partial<Host> = {}): TestHost & { readonly pauses: () => number } {
  let count = 0
  const host = testHost({
    monotonic: () => performance.now(),
    processor: () => {
      const { user, system } = process.threadCpuUsage()
      return (user + system) / 1000
    },
    pause: () =>
      new Promise((resolve) => {
        count++
        setImmediate(resolve)
      }),
    ...overrides,
  })
  return Object.assign(host, { pauses: () => count })
}

const terminal = (id: string, output: Value = []) => ({
  id,
  type: 'terminal',
  result: { code: id.toUpperCase(), message: '', output },
})
const sets = (name: string, value: string) => ({ action: 'set_variable', name, value })
const calls = (name: string, variable: string) => ({
  action: 'call_ruleset',
  ruleset_name: name,
  result_variable: variable,
})

/** Steps `s0` to `end`, one after the other. */
function straight(count: number, actions: (step: number) => readonly Value[], config: Value = {}, output: Value = []) {
  const steps = Array.from({ length: count }, (_, step) => [
    `s${step}`,
    { id: `s${step}`, type: 'action', actions: actions(step), next_step: step + 1 < count ? `s${step + 1}` : 'end' },
  ])
  return document(
    { entry_step: 's0', ...(config as object) },
    { ...Object.fromEntries(steps), end: terminal('end', output) },
  )
}

function document(config: object, steps: object): RulesetDocument {
  return { config: { name: 'r', version: '1.0.0', ...config }, steps } as unknown as RulesetDocument
}

/** A loop with no other work. */
const loop = (config: object = {}) =>
  document(
    { entry_step: 'first', max_depth: 1_000_000, ...config },
    {
      first: {
        id: 'first',
        type: 'decision',
        branches: [{ condition: 'x == "never"', next_step: 'end' }],
        default_next: 'again',
      },
      again: { id: 'again', type: 'action', actions: [sets('v', 'any(l, i => i < 0)')], next_step: 'first' },
      end: terminal('end'),
    },
  )

function programOf(text: RulesetDocument, host: Host): Program {
  const { ruleset, problems } = decodeRuleset(text)
  if (ruleset === undefined) throw new Error(JSON.stringify(problems.slice(0, 3)))
  return createProgram(ruleset, host)
}

/** An input that takes some work to traverse. */
const LIST = { l: Array.from({ length: 2000 }, (_, index) => index) }

/** The error of a decision, and the processor time in milliseconds until it was thrown. */
async function failure(program: Program, input: Value = LIST) {
  const start = process.threadCpuUsage().user
  try {
    await program.decide(input)
  } catch (error) {
    const { code, message, step } = error as ExecutionError
    return { code, message, step, milliseconds: (process.threadCpuUsage().user - start) / 1000 }
  }
  throw new Error('it decided')
}

/** Far above the limits of the tests, far below the duration without a limit. */
const SOON = 5000

const WAYS: readonly (readonly [string, Partial<Host>])[] = [
  ['interpreted', { makeFunction: undefined }],
  ['compiled', { makeFunction }],
]

describe.each(WAYS)('%s', (_way, way) => {
  describe('`timeout_ms` is kept', () => {
    // Some ten milliseconds each.
    const slow = 'any(range(0, 500000), i => i < 0)'
    const many = straight(2000, (step) => [sets(`v${step}`, slow.replace('500000', '20000'))], {
      timeout_ms: 30,
      max_depth: 5000,
    })
    test.each<[string, RulesetDocument]>([
      ['in a loop', loop({ timeout_ms: 30 })],
      ['in a long straight ruleset', many],
      [
        'in one step with many actions',
        straight(1, () => Array.from({ length: 500 }, () => sets('v', slow.replace('500000', '20000'))), {
          timeout_ms: 30,
        }),
      ],
      [
        'in one step with many branches',
        document(
          { entry_step: 's', timeout_ms: 30 },
          {
            s: {
              id: 's',
              type: 'decision',
              branches: Array.from({ length: 500 }, (_, index) => ({
                condition: `any(range(0, 20000), i => i == -1 - ${index})`,
                next_step: 'end',
              })),
              default_next: 'end',
            },
            end: terminal('end'),
          },
        ),
      ],
    ])('%s', async (_name, text) => {
      const failed = await failure(programOf(text, realHost(way)))
      expect(failed).toMatchObject({ code: 'timeout', message: expect.stringContaining('30 ms (config.timeout_ms)') })
      expect(failed.milliseconds).toBeLessThan(SOON)
    })

    test('of a ruleset that is called, which is shorter than its caller allows itself', async () => {
      const host = realHost(way)
      host.programs.set('inner', programOf(loop({ name: 'inner', timeout_ms: 30 }), host))
      const outer = programOf(
        straight(1, () => [calls('inner', 'r')], { timeout_ms: 60_000 }),
        host,
      )
      const failed = await failure(outer)
      expect(failed).toMatchObject({ code: 'timeout', message: expect.stringContaining('30 ms (config.timeout_ms)') })
      expect(failed.milliseconds).toBeLessThan(SOON)
    })

    test('of a caller, whatever the rulesets that it calls allow themselves', async () => {
      const host = realHost(way)
      host.programs.set('inner', programOf(loop({ name: 'inner', timeout_ms: 60_000 }), host))
      const outer = programOf(
        straight(1, () => [calls('inner', 'r')], { timeout_ms: 40 }),
        host,
      )
      const failed = await failure(outer)
      expect(failed).toMatchObject({ code: 'timeout', step: 's0', message: expect.stringContaining('40 ms') })
      expect(failed.milliseconds).toBeLessThan(SOON)
    })

    test('when rulesets call each other ten times, nine levels deep', async () => {
      const host = realHost(way)
      host.programs.set('l8', programOf(document({ name: 'l8', entry_step: 'end' }, { end: terminal('end') }), host))
      for (let level = 7; level >= 0; level--) {
        const fan = straight(1, () => Array.from({ length: 10 }, (_, index) => calls(`l${level + 1}`, `r${index}`)), {
          name: `l${level}`,
          timeout_ms: 100,
        })
        host.programs.set(`l${level}`, programOf(fan, host))
      }
      const failed = await failure(host.programs.get('l0') as Program)
      expect(failed).toMatchObject({ code: 'timeout' })
      expect(failed.milliseconds).toBeLessThan(SOON)
    })
  })

  test('without `timeout_ms` the time of the request is kept', async () => {
    const failed = await failure(programOf(loop({ timeout_ms: 0 }), realHost({ ...way, requestMs: 50 })))
    expect(failed).toMatchObject({ code: 'request-timeout', message: expect.stringContaining('50 ms of its request') })
    expect(failed.milliseconds).toBeLessThan(SOON)
  })

  test('one expression may not occupy the processor: no pause is possible in it', async () => {
    const text = straight(1, () => [sets('v', 'any(range(0, 1000000), i => any(range(0, 1000), j => j < 0))')], {
      timeout_ms: 0,
    })
    const failed = await failure(programOf(text, realHost(way)))
    expect(failed).toMatchObject({
      code: 'timeout',
      step: 's0',
      message: expect.stringContaining('45 ms of processor time'),
    })
    expect(failed.milliseconds).toBeLessThan(SOON)
  })

  test.each([
    ['that reports nothing', []],
    ['that logs', [{ action: 'log', level: 'info', message: 'x' }]],
  ])('a long straight ruleset %s pauses, does everything once and decides', async (_name, told) => {
    const host = realHost(way)
    const size = way.makeFunction === undefined ? 2100 : 7000
    const work = `count(range(0, ${size}), i => i % 7 == 3)`
    const text = straight(300, (step) => [...told, sets('v', step === 0 ? work : `$v + ${work}`)], { timeout_ms: 0 }, [
      ['v', '$v'],
    ])
    const decision = await programOf(text, host).decide({})
    expect(decision).toMatchObject({ code: 'END', output: { v: (size / 7) * 300 } })
    expect(host.pauses()).toBeGreaterThan(0)
    expect(host.effects).toHaveLength(told.length * 300)
  })

  test.each([
    [
      'an output',
      straight(30, (step) => [sets('v', step === 0 ? '[1]' : '[$v, $v]')], {}, [['v', '$v']]),
      expect.stringMatching(/value-too-large|timeout/),
    ],
    [
      'many outputs of one large text',
      document(
        { entry_step: 'end' },
        {
          end: terminal(
            'end',
            Array.from({ length: 100 }, (_, index) => [`k${index}`, 's']),
          ),
        },
      ),
      'value-too-large',
    ],
    [
      'values created on the path',
      straight(300, (step) => [sets(`v${step}`, 'pad_left("", 1000000)')]),
      'execution-too-large',
    ],
  ])('%s that would be too large ends in an error', async (_name, text, code) => {
    expect(await failure(programOf(text, realHost(way)), { s: 'x'.repeat(1_000_000) })).toMatchObject({ code })
  })
})

describe('one program, 200,000 times', () => {
  const built = [['v', 'pad_left(s, 1000, "x")']]
  test.each<[string, (host: TestHost) => RulesetDocument]>([
    ['that builds 1,000 characters', () => document({ entry_step: 'end' }, { end: terminal('end', built) })],
    [
      'that reads the time',
      () => document({ entry_step: 'end' }, { end: terminal('end', [...built, ['now', 'now()']]) }),
    ],
    [
      'that calls another',
      (host) => {
        const inner = document({ name: 'inner', entry_step: 'end' }, { end: terminal('end', built) })
        host.programs.set('inner', programOf(inner, host))
        return straight(1, () => [calls('inner', 'r')], {}, [['v', '$r.output.v']])
      },
    ],
  ])(
    '%s: the last answer equals the first, and none pauses for charges of earlier ones',
    (_name, make) => {
      const host = realHost()
      const program = programOf(make(host), host)
      const first = program.decide({ s: 'a' })
      let last: Decision | Promise<Decision> = first
      let pauses = 0
      for (let count = 0; count < 200_000; count++) {
        last = program.decide({ s: 'a' })
        if (last instanceof Promise) pauses++
      }
      expect([last, pauses]).toEqual([first, 0])
      expect((first as Decision).output['v']).toHaveLength(1000)
    },
    120_000,
  )
})

describe('rulesets whose longest way is longer than `max_depth`', () => {
  const decisions = (count: number, maxDepth: number) => {
    const steps = Array.from({ length: count }, (_, step) => [
      `s${step}`,
      {
        id: `s${step}`,
        type: 'decision',
        branches: [{ condition: `x == ${step}`, next_step: 'end' }],
        default_next: step + 1 < count ? `s${step + 1}` : 'end',
      },
    ])
    return document({ entry_step: 's0', max_depth: maxDepth }, { ...Object.fromEntries(steps), end: terminal('end') })
  }
  const outcome = (program: Program, input: Value): string => {
    try {
      return (program.decide(input) as Decision).code
    } catch (error) {
      return (error as ExecutionError).code
    }
  }

  test.each([
    [30, 25],
    [30, 40],
    [17, 16],
    [40, 17],
    [1002, 1000],
    [100, 1],
  ])('%d decisions in a row, at most %d steps', (count, maxDepth) => {
    const text = decisions(count, maxDepth)
    // The clock of a process with a long uptime.
    const late = { monotonic: () => 1e9 + performance.now() }
    const compiled = programOf(text, realHost(late))
    const interpreted = programOf(text, realHost({ ...late, makeFunction: undefined }))
    for (let x = 0; x <= count; x += 1 + Math.floor(count / 40)) {
      const steps = Math.min(x, count - 1) + 2
      expect(outcome(compiled, { x }), `x: ${x}`).toBe(steps > maxDepth ? 'max-depth' : 'END')
      expect(outcome(interpreted, { x }), `x: ${x}`).toBe(outcome(compiled, { x }))
    }
  })
})

test('caller and callee see the same moment: the given one', async () => {
  const host = realHost()
  host.programs.set(
    'inner',
    programOf(document({ name: 'inner', entry_step: 'end' }, { end: terminal('end', [['at', 'now_millis()']]) }), host),
  )
  const asks = straight(1, () => [calls('inner', 'r')], {}, [
    ['own', 'now_millis()'],
    ['at', '$r.output.at'],
  ])
  const only = straight(1, () => [calls('inner', 'r')], {}, [['at', '$r.output.at']])
  expect((await programOf(asks, host).decide({}, { now: 1000 })).output).toEqual({ own: 1000, at: 1000 })
  expect((await programOf(only, host).decide({}, { now: 1000 })).output).toEqual({ at: 1000 })
})
