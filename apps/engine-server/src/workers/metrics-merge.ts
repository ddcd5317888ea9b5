/** One metric with all its series, as in the text exposition format. */
interface Family {
  /** The lines before the series: help and type. */
  readonly head: string
  readonly type: string
  /** Values by series, such as `name{label="value"}`, as written. */
  readonly series: Map<string, string>
}

/** Metrics by name. */
export type Exposition = Map<string, Family>

/** Parses the metrics of one process of this server. */
export function parseExposition(text: string): Exposition {
  const families: Exposition = new Map()
  let head = ''
  let current: Family | undefined
  for (const line of text.split('\n')) {
    if (line.startsWith('# HELP ')) head = `${line}\n`
    else if (line.startsWith('# TYPE ')) {
      const [name = '', type = ''] = line.slice('# TYPE '.length).split(' ')
      current = { head: `${head}${line}\n`, type, series: new Map() }
      families.set(name, current)
    } else if (line !== '') {
      // The value of a label may contain blanks, a number may not.
      const end = line.lastIndexOf(' ')
      current?.series.set(line.slice(0, end), line.slice(end + 1))
    }
  }
  return families
}

/** Series of the server as a whole: the owner's values are used, the workers' values are ignored. */
const OWNER_SERIES: ReadonlySet<string> = new Set([
  'engine_info',
  'engine_uptime_seconds',
  'engine_rules_total',
  'engine_rule_files_rejected',
])

/**
 * True if the values of several processes are added up: those of counters and histograms are, but each process has its
 * own gauge.
 */
const isSum = (type: string) => type === 'counter' || type === 'histogram'

/** One process and its metrics. */
export interface Reported {
  /** The label `worker` of its gauges. */
  readonly worker: string
  readonly families: Exposition
}

/**
 * Merges the metrics of all processes into those of one server, in the text exposition format.
 *
 * @param ended sums of ended processes, because a counter must never decrease
 */
export function mergeExpositions(owner: Reported, workers: readonly Reported[], ended: Exposition): string {
  let text = ''
  const names = new Set([owner, ...workers].flatMap(({ families }) => [...families.keys()]).concat(...ended.keys()))
  for (const name of names) {
    const all = [owner, ...workers].flatMap(({ worker, families }) => {
      const family = families.get(name)
      return family === undefined ? [] : [{ worker, family }]
    })
    const [first] = all
    const past = ended.get(name)
    const { head, type } = first?.family ?? past ?? { head: '', type: '' }
    if (OWNER_SERIES.has(name)) text += written(head, owner.families.get(name)?.series ?? new Map())
    else if (isSum(type)) text += written(head, summed([...all.map(({ family }) => family), ...(past ? [past] : [])]))
    else text += head + all.map(({ worker, family }) => written('', labelled(family.series, worker))).join('')
  }
  return text
}

/** Adds the counters of an ended process to the accumulated sums. */
export function addEnded(ended: Exposition, families: Exposition): void {
  for (const [name, family] of families) {
    if (!isSum(family.type) || OWNER_SERIES.has(name)) continue
    const before = ended.get(name)
    ended.set(name, { ...family, series: summed(before === undefined ? [family] : [before, family]) })
  }
}

/** The series that a process forgets with a ruleset: `telemetry/metrics.ts`. */
const RULESET_FAMILIES = [
  'engine_executions_total',
  'engine_execution_duration_seconds',
  'engine_contract_violations_total',
] as const

/** Removes the series of a ruleset, as the process that counted them does. */
export function forgetRuleset(families: Exposition, name: string, tenant: string | undefined): void {
  const marks = [`ruleset="${name}"`, ...(tenant === undefined ? [] : [`tenant="${tenant}"`])]
  for (const family of RULESET_FAMILIES) {
    const series = families.get(family)?.series
    for (const key of series?.keys() ?? []) if (marks.every((mark) => key.includes(mark))) series?.delete(key)
  }
}

function summed(families: readonly Family[]): Map<string, string> {
  const sums = new Map<string, number>()
  for (const { series } of families)
    for (const [key, value] of series) sums.set(key, (sums.get(key) ?? 0) + Number(value))
  return new Map(Array.from(sums, ([key, value]) => [key, String(value)]))
}

function labelled(series: ReadonlyMap<string, string>, worker: string): Map<string, string> {
  const label = `worker="${worker}"}`
  return new Map(
    Array.from(series, ([key, value]) => [
      key.endsWith('}') ? `${key.slice(0, -1)},${label}` : `${key}{${label}`,
      value,
    ]),
  )
}

function written(head: string, series: ReadonlyMap<string, string>): string {
  let text = head
  for (const [key, value] of series) text += `${key} ${value}\n`
  return text
}
