import type { RulesetDocument } from '@engine/ruleset'
import { program, terminal } from '../engines.ts'
import { compare, table } from '../measure.ts'
import { defined } from '@engine/expression'

const SIZES = [10, 100, 1000, 10_000, 20_000]

interface Shape {
  readonly name: string
  readonly condition: (index: number, size: number) => string
  readonly input: (index: number, size: number) => object
}

const SHAPES: readonly Shape[] = [
  { name: 'one field, equality', condition: (index) => `sku == "S${index}"`, input: (index) => ({ sku: `S${index}` }) },
  {
    name: 'one field, ranges',
    condition: (index) => `weight < ${index + 1}`,
    input: (index) => ({ weight: index + 0.5 }),
  },
  {
    name: 'two fields',
    condition: (index) => `zone == "Z${index % 9}" && weight < ${index + 1}`,
    input: (index) => ({ zone: `Z${index % 9}`, weight: index + 0.5 }),
  },
]

/** A decision of many branches: its time must not grow with their number. */
export async function branches(): Promise<void> {
  const rows: (string | number)[][] = []
  for (const shape of SHAPES) {
    const loads: number[] = []
    const sides = SIZES.map((size) => {
      const begin = performance.now()
      const running = program(documentOf(shape, size))
      const inputs = Array.from({ length: 512 }, (_, index): RulesetDocument =>
        JSON.parse(JSON.stringify(shape.input((index * 7919) % size, size))),
      )
      void running.decide(defined(inputs[0]))
      loads.push(performance.now() - begin)
      let sink = 0
      const run = (times: number) => {
        for (let index = 0; index < times; index++)
          sink += (running.decide(inputs[index & 511] as RulesetDocument) as { code: string }).code.length
        return sink
      }
      return { name: String(size), times: 100_000, run }
    })
    const times = await compare(sides)
    const least = defined(times.get('10'))
    for (const [index, size] of SIZES.entries())
      rows.push([
        shape.name,
        String(size),
        defined(times.get(String(size))),
        defined(times.get(String(size))) / least,
        defined(loads[index]),
      ])
  }
  table(['shape', 'branches', 'ns', 'times that of 10 (bar 3 at 10,000)', 'load and first decision, ms'], rows)
}

function documentOf({ condition }: Shape, size: number): RulesetDocument {
  const codes = Array.from({ length: Math.min(size, 50) }, (_, index) => `T${index}`)
  const list = Array.from({ length: size }, (_, index) => ({
    condition: condition(index, size),
    next_step: defined(codes[index % codes.length]),
  }))
  const steps = [{ id: 'table', type: 'decision', branches: list, default_next: 'T0' }, ...codes.map(terminal)]
  return {
    config: { name: 'bench', entry_step: 'table' },
    steps: Object.fromEntries(steps.map((step) => [step.id, step])),
  }
}
