import { initials } from '../ui/initials.ts'

/** The initials of a person on a colour derived from the name. */
export function Avatar({ name }: { readonly name: string }) {
  const hue = Array.from(name).reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7)
  return (
    <span className="avatar" aria-hidden="true" style={{ '--hue': hue }}>
      {initials(name)}
    </span>
  )
}
