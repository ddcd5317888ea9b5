import type { Action, Message, Ruleset, Step } from '../model.ts'

/** The steps of a ruleset and the edges between them, for display. */
export interface Diagram {
  readonly title: string
  readonly nodes: readonly DiagramNode[]
  readonly edges: readonly DiagramEdge[]
}

export interface DiagramNode {
  readonly id: string
  readonly type: Step['type']
  readonly isEntry: boolean
  /** The name of the step, then its actions: one line each. */
  readonly lines: readonly string[]
  /** Number of executions that entered the step; undefined if not counted. */
  readonly hits: number | undefined
}

export interface DiagramEdge {
  readonly from: string
  readonly to: string
  /** The condition as written, `otherwise`, or empty for the only exit. */
  readonly label: string
  /** Number of executions that took it; undefined if not counted. */
  readonly hits: number | undefined
}

/** Maximum length of a line. */
const MAX_LINE = 60

/** Maximum number of lines of an action step. */
const MAX_LINES = 6

/**
 * The diagram of a ruleset. Linear in the ruleset.
 *
 * @param hits number of executions by step, `id`, and by exit of a decision, `id/0` or `id/default`; absent keys count
 * as 0
 */
export function diagramOf(ruleset: Ruleset, hits?: ReadonlyMap<string, number>): Diagram {
  const { name, version, entryStep } = ruleset.config
  const hitsOf = (key: string) => (hits === undefined ? undefined : (hits.get(key) ?? 0))
  const steps = [...ruleset.steps.values()]
  return {
    title: `${name} ${version}`,
    nodes: steps.map((step) => ({
      id: step.id,
      type: step.type,
      isEntry: step.id === entryStep,
      lines: linesOf(step).map(shortened),
      hits: hitsOf(step.id),
    })),
    edges: steps.flatMap((step) => edgesOf(step, hitsOf)),
  }
}

function edgesOf(step: Step, hitsOf: (key: string) => number | undefined): readonly DiagramEdge[] {
  const { id: from } = step
  switch (step.type) {
    case 'terminal':
      return []
    case 'action':
      return [{ from, to: step.nextStep, label: '', hits: hitsOf(from) }]
    case 'decision': {
      const edges = step.branches.map(({ source, nextStep: to }, index) => {
        return { from, to, label: shortened(source), hits: hitsOf(`${from}/${index}`) }
      })
      if (step.defaultNext === undefined) return edges
      return [...edges, { from, to: step.defaultNext, label: 'otherwise', hits: hitsOf(`${from}/default`) }]
    }
  }
}

function linesOf(step: Step): readonly string[] {
  const title = step.name === '' ? step.id : step.name
  switch (step.type) {
    case 'decision':
      return [title]
    case 'action': {
      const lines = step.actions.map(lineOf)
      const more = lines.length - MAX_LINES
      return [title, ...(more > 0 ? [...lines.slice(0, MAX_LINES), `and ${more} more`] : lines)]
    }
    case 'terminal': {
      const message = messageOf(step.message)
      return [message === '' ? step.code : `${step.code}: ${message}`]
    }
  }
}

function lineOf(action: Action): string {
  switch (action.action) {
    case 'set_variable':
      return `set $${action.name}`
    case 'log':
      return `log ${action.level}`
    case 'metric':
      return `metric ${action.name}`
    case 'external_call':
      return `call ${action.service}.${action.method}`
    case 'call_ruleset':
      return `decide by ${action.rulesetName}`
  }
}

const messageOf = (message: Message): string =>
  message.kind === 'text'
    ? message.text
    : message.parts.map((part) => (typeof part === 'string' ? part : '{…}')).join('')

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line.length <= MAX_LINE) return line
  const cut = line.slice(0, MAX_LINE - 1)
  // Never truncates within a surrogate pair.
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}

/** The exits of each step. Node 20 lacks `Map.groupBy`. */
export function edgesByStep(edges: readonly DiagramEdge[]): ReadonlyMap<string, readonly DiagramEdge[]> {
  const groups = new Map<string, DiagramEdge[]>()
  for (const edge of edges) {
    const group = groups.get(edge.from)
    if (group === undefined) groups.set(edge.from, [edge])
    else group.push(edge)
  }
  return groups
}
