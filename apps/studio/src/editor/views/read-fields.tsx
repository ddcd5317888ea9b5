import type { DraftRuleset } from '@engine/authoring'
import type { Surroundings } from '../../language/tasks.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { useInputFields } from '../simulation/input-fields.ts'

const ICONS: Readonly<Record<string, IconName>> = {
  number: 'number',
  integer: 'number',
  decimal: 'number',
  boolean: 'toggle',
  date: 'date',
  datetime: 'date',
}

/** The fields that the rules read, with the icons of their types. */
export function ReadFields({
  draft,
  surroundings,
}: {
  readonly draft: DraftRuleset
  readonly surroundings: Surroundings
}) {
  const { side: words, simulator } = useTexts()
  const fields = useInputFields(draft, surroundings)
  if (fields.length === 0) return null
  return (
    <section className="reads" aria-label={words.reads}>
      <h2>{words.reads}</h2>
      <ul>
        {fields.map(({ name, type }) => (
          <li key={name} title={simulator.types[type] ?? type}>
            <Icon name={ICONS[type] ?? (type.startsWith('array') ? 'list' : 'text')} size={13} />
            <span className="words">{name}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
