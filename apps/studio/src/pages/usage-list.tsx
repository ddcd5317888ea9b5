import { usePageTexts } from '../texts/page-texts.ts'

/** The users of a fact or concept. */
export function UsedBy({ uses }: { readonly uses: readonly { readonly kind: string; readonly name: string }[] }) {
  const { facts } = usePageTexts()
  if (uses.length === 0) return <span className="muted">{facts.unused}</span>
  return (
    <span className="row wrap">
      {uses.map(({ kind, name }) => (
        <span key={`${kind} ${name}`} className="tag">
          {name}
        </span>
      ))}
    </span>
  )
}
