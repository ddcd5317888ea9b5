/** A ruleset of decisions, each with two ways on, that all end with one of ten results. */
export function graph(count: number): object {
  const decisions = Array.from({ length: count - 10 }, (_, index) => ({
    id: `s${index}`,
    name: `Check ${index}`,
    type: 'decision',
    branches: [
      {
        id: 'a',
        condition: `amount > ${index} && country == "C${index % 20}"`,
        nextStepId: after(count, index * 2 + 1),
      },
      { id: 'b', condition: `score < ${index % 700}`, nextStepId: `end${index % 10}` },
    ],
    defaultNextStepId: after(count, index * 2 + 2),
  }))
  const ends = Array.from({ length: 10 }, (_, index) => ({
    id: `end${index}`,
    type: 'terminal',
    code: `CODE_${index}`,
  }))
  return { config: { name: 'graph', version: '1.0.0' }, startStepId: 's0', steps: [...decisions, ...ends] }
}

const after = (count: number, index: number) => (index < count - 10 ? `s${index}` : `end${index % 10}`)

/** A ruleset with one table of so many rows and columns. */
export function wideTable(height: number, width: number): object {
  const columns = Array.from({ length: width }, (_, index) =>
    index < width - 4
      ? { id: `c${index}`, kind: 'input', field: `f${index}`, type: 'number' }
      : { id: `c${index}`, kind: 'output', field: `o${index}` },
  )
  const rows = Array.from({ length: height }, (_, row) => ({
    id: `r${row}`,
    cells: Object.fromEntries(
      columns.map(({ id, kind }, column) => [id, kind === 'input' ? `>= ${(row * column) % 97}` : `${row}`]),
    ),
  }))
  const step = {
    id: 't',
    name: 'Rates',
    type: 'table',
    hitPolicy: 'first',
    columns,
    rows,
    nextStepId: 'done',
    defaultNextStepId: 'none',
  }
  const end = (id: string) => ({ id, type: 'terminal', code: id.toUpperCase() })
  return { config: { name: 'wide', version: '1.0.0' }, startStepId: 't', steps: [step, end('done'), end('none')] }
}
