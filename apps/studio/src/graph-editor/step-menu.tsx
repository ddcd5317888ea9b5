import type { DraftStep } from '@engine/authoring'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { MenuButton } from '../ui/menu-button.tsx'

const TYPES = ['decision', 'table', 'action', 'terminal', 'sub_rule'] as const satisfies readonly DraftStep['type'][]

interface StepMenuProps {
  readonly label: string
  readonly types?: readonly DraftStep['type'][]
  readonly add: (type: DraftStep['type']) => void
  readonly onOpenChange?: (isOpen: boolean) => void
}

/** A plus button with a menu of the kinds of steps to add. */
export function StepMenu({ label, types = TYPES, add, onOpenChange }: StepMenuProps) {
  const { canvas } = useTexts()
  return (
    <MenuButton
      className="btn icon"
      kind="quiet"
      label={label}
      {...(onOpenChange !== undefined && { onOpenChange })}
      button={<Icon name="plus" />}
      groups={[
        {
          title: '',
          items: types.map((type) => ({
            id: type,
            label: canvas.kinds[type],
            icon: (
              <span style={{ color: `var(--k-${type})` }}>
                <Icon name={type} />
              </span>
            ),
            run: () => add(type),
          })),
        },
      ]}
    />
  )
}
