import { type Diagram, type DiagramEdge, type DiagramNode, edgesByStep } from './diagram.ts'

const FILLS = { decision: '#fff7d6', action: '#e3eefc', terminal: '#eeeeee' } as const

/** Whether a part was counted but no execution reached it. */
const isMissed = ({ hits }: Pick<DiagramNode, 'hits'>): boolean => hits === 0

/** Marks covered and missed parts, if they were counted. */
const mark = ({ hits }: Pick<DiagramNode, 'hits'>) => (hits === undefined ? '' : hits === 0 ? '✗ ' : '✓ ')

/** A diagram for terminals: each step with its exits below it. */
export function diagramText({ title, nodes, edges }: Diagram): string {
  const out = edgesByStep(edges)
  const names = new Map(nodes.map(({ id }) => [id, id]))
  const lines = nodes.flatMap((node) => [
    '',
    `${mark(node)}${node.id} (${node.type}${node.isEntry ? ', entry' : ''})${node.lines[0] === node.id ? '' : ` ${node.lines[0] ?? ''}`}`,
    ...node.lines.slice(1).map((line) => `    ${line}`),
    ...(out.get(node.id) ?? []).map(
      (edge) => `  ${mark(edge)}${edge.label === '' ? '' : `${edge.label} `}→ ${names.get(edge.to) ?? edge.to}`,
    ),
  ])
  return `${[title, ...lines].join('\n')}\n`
}

/** A Mermaid flowchart. Step names appear only in labels. */
export function diagramMermaid({ nodes, edges }: Diagram): string {
  const ids = new Map(nodes.map(({ id }, index) => [id, `s${index}`]))
  const shape = ({ type, lines }: DiagramNode) => {
    const label = `"${lines.map(mermaidText).join('<br/>')}"`
    return type === 'decision' ? `{${label}}` : type === 'terminal' ? `([${label}])` : `[${label}]`
  }
  const counted = nodes.some(({ hits }) => hits !== undefined)
  const lines = [
    'flowchart TD',
    ...nodes.map((node) => `  ${ids.get(node.id)}${shape(node)}`),
    ...edges.map(
      ({ from, to, label }) =>
        `  ${ids.get(from)} -->${label === '' ? '' : `|"${mermaidText(label)}"|`} ${ids.get(to)}`,
    ),
    ...(counted
      ? ['  classDef covered fill:#d9f2d9,stroke:#2e7d32', '  classDef missed fill:#fbdcdc,stroke:#c62828']
      : []),
    ...(counted ? nodes.map((node) => `  class ${ids.get(node.id)} ${isMissed(node) ? 'missed' : 'covered'}`) : []),
    ...edges.flatMap(({ hits }, index) =>
      hits === undefined ? [] : [`  linkStyle ${index} stroke:${edgeColor({ hits })}`],
    ),
  ]
  return `${lines.join('\n')}\n`
}

/** Mermaid interprets `#` with a code or name as a character. */
const mermaidText = (text: string) => text.replaceAll(/[#&<>"`\\;]/g, (one) => `#${one.codePointAt(0)};`)

/** A Graphviz graph. */
export function diagramDot({ title, nodes, edges }: Diagram): string {
  const shapes = { decision: 'diamond', action: 'box', terminal: 'oval' } as const
  const lines = [
    `digraph ${dotText([title])} {`,
    '  node [style=filled fontname="sans-serif"];',
    ...nodes.map(
      (node) =>
        `  ${dotText([node.id])} [shape=${shapes[node.type]} label=${dotText(node.lines)} fillcolor="${fillOf(node)}"];`,
    ),
    ...edges.map(
      (edge) =>
        `  ${dotText([edge.from])} -> ${dotText([edge.to])} [label=${dotText([edge.label])} color="${edgeColor(edge)}"];`,
    ),
    '}',
  ]
  return `${lines.join('\n')}\n`
}

/** A quoted DOT string; `\n` separates its lines. */
const dotText = (lines: readonly string[]) =>
  `"${lines.map((line) => line.replaceAll('\\', '\\\\').replaceAll('"', '\\"')).join('\\n')}"`

/** The colour of a node: by coverage if counted, otherwise by type. */
export function fillOf(node: DiagramNode): string {
  if (node.hits === undefined) return FILLS[node.type]
  return isMissed(node) ? '#fbdcdc' : '#d9f2d9'
}

/** The colour of an edge. */
export function edgeColor({ hits }: Pick<DiagramEdge, 'hits'>): string {
  if (hits === undefined) return '#555555'
  return hits === 0 ? '#c62828' : '#2e7d32'
}
