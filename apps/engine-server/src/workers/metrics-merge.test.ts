import { expect, test } from 'vitest'
import { Durations, histogramHead, label } from '../telemetry/duration.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { addEnded, type Exposition, forgetRuleset, mergeExpositions, parseExposition } from './metrics-merge.ts'
import { createServerMetrics } from './server-metrics.ts'

const counter = (value: number, labels = '{ruleset="a",result="success"}') =>
  `# HELP engine_executions_total Executions\n# TYPE engine_executions_total counter\nengine_executions_total${labels} ${value}\n`
const gauge = (value: string) => `# HELP memory Bytes\n# TYPE memory gauge\nmemory ${value}\nmemory{kind="a b"} 1\n`
const info = (value: number) =>
  `# HELP engine_rules_total Rules\n# TYPE engine_rules_total gauge\nengine_rules_total ${value}\n`

const reported = (worker: string, text: string) => ({ worker, families: parseExposition(text) })
const lines = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

test('counters are summed by series, also those that only some have', () => {
  const text = mergeExpositions(
    reported('owner', counter(0)),
    [reported('1', counter(2)), reported('2', `${counter(3)}engine_executions_total{ruleset="b",result="error"} 1\n`)],
    new Map(),
  )
  expect(text).toBe(`${counter(5)}engine_executions_total{ruleset="b",result="error"} 1\n`)
})

test('histograms are summed: every process has the same bounds', () => {
  const [one, two] = [new Durations(), new Durations()]
  one.add(0.5)
  two.add(0.25)
  two.add(30)
  const text = (durations: Durations) => histogramHead('h', 'Help') + durations.lines('h', label('ruleset', 'a'))
  const merged = mergeExpositions(
    reported('owner', ''),
    [reported('1', text(one)), reported('2', text(two))],
    new Map(),
  )
  const both = new Durations()
  for (const seconds of [0.5, 0.25, 30]) both.add(seconds)
  expect(merged).toBe(text(both))
})

test('a gauge is reported per process, except for those that only the owner knows', () => {
  const text = mergeExpositions(
    reported('owner', gauge('10') + info(7)),
    [reported('1', gauge('Nan') + info(0)), reported('2', gauge('30') + info(0))],
    new Map(),
  )
  expect(lines(text)).toEqual([
    'memory{worker="owner"} 10',
    'memory{kind="a b",worker="owner"} 1',
    'memory{worker="1"} Nan',
    'memory{kind="a b",worker="1"} 1',
    'memory{worker="2"} 30',
    'memory{kind="a b",worker="2"} 1',
    'engine_rules_total 7',
  ])
})

test('counters of exited processes stay, and their gauges are dropped', () => {
  const ended: Exposition = new Map()
  addEnded(ended, parseExposition(counter(4) + gauge('1')))
  addEnded(ended, parseExposition(counter(5)))
  expect(lines(mergeExpositions(reported('owner', counter(1)), [], ended))).toEqual([
    'engine_executions_total{ruleset="a",result="success"} 10',
  ])
  // Even if no process reports it.
  expect(lines(mergeExpositions(reported('owner', ''), [], ended))).toHaveLength(1)
})

test('the executions of a deleted ruleset are forgotten, and no others', () => {
  const families = parseExposition(
    counter(1, '{tenant="t",ruleset="a",result="success"}') +
      'engine_executions_total{tenant="u",ruleset="a",result="success"} 2\n' +
      'engine_executions_total{tenant="t",ruleset="ab",result="success"} 3\n',
  )
  forgetRuleset(families, 'a', 't')
  expect([...(families.get('engine_executions_total')?.series.values() ?? [])]).toEqual(['2', '3'])
})

test.each(['tenant', undefined])(
  'all series that a process forgets with a ruleset are forgotten: %s',
  async (tenant) => {
    const registry = createMetrics({ version: '1' })
    const own = registry.forTenant(tenant)
    for (const name of ['gone', 'kept']) {
      own.executed(name, 0.1, 'OK')
      own.violated(name, 'warn', 1)
    }
    const seriesOf = (text: string) => lines(text).filter((line) => line.includes('ruleset="'))
    const families = parseExposition(await registry.text())
    forgetRuleset(families, 'gone', tenant)
    own.forget('gone')
    const expected = seriesOf(await registry.text())
    expect(seriesOf(mergeExpositions({ worker: 'owner', families }, [], new Map())).toSorted()).toEqual(
      expected.toSorted(),
    )
    expect(expected.join()).toContain('engine_contract_violations_total')
  },
)

test('the last figures of a late worker are used, and those of an ended worker are kept', async () => {
  let says: [number, string][] = [
    [1, counter(1)],
    [2, counter(10)],
  ]
  const metrics = createServerMetrics(async (_milliseconds, heard) => {
    for (const [worker, text] of says) heard(worker, text)
  })
  const total = async () => Number(/ (\d+)\n/.exec((await metrics.text(counter(0))).replaceAll(/#.*\n/g, ''))?.[1])
  expect(await total()).toBe(11)
  says = [[1, counter(3)]]
  expect(await total()).toBe(13)
  metrics.ended(2)
  expect(await total()).toBe(13)
  says = [
    [1, counter(3)],
    [2, counter(1)],
  ]
  expect(await total()).toBe(14)
  metrics.forget('a', undefined)
  says = []
  expect(await total()).toBe(0)
})
