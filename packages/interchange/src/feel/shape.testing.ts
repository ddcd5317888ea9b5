import { baseShape, type FeelShape } from './shape.ts'

/** A shape in the notation of {@link shapeText}: `number`, `[number]`, `{a: number, b: ?}`; `?` is unknown. */
export function shapeOfText(text: string): FeelShape | undefined {
  if (text === '?') return undefined
  if (text.startsWith('[')) return { kind: 'list', items: () => shapeOfText(text.slice(1, -1)) }
  if (!text.startsWith('{')) return baseShape(text)
  const members = new Map(
    text
      .slice(1, -1)
      .split(', ')
      .filter((member) => member !== '')
      .map((member) => [member.split(': ')[0] ?? '', shapeOfText(member.split(': ')[1] ?? '?')]),
  )
  return { kind: 'context', names: [...members.keys()], member: (name) => members.get(name) }
}

/** A shape as text. */
export function shapeText(shape: FeelShape | undefined): string {
  switch (shape?.kind) {
    case 'base':
      return shape.type
    case 'list':
      return `[${shapeText(shape.items())}]`
    case 'context':
      return `{${shape.names.map((name) => `${name}: ${shapeText(shape.member(name))}`).join(', ')}}`
    case undefined:
      return '?'
  }
}
