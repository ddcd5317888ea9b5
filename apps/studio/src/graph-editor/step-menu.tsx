import type { DraftStep } from '@engine/authoring'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'

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
    <MenuTrigger {...(onOpenChange !== undefined && { onOpenChange })}>
      <Button className="btn icon" data-kind="quiet" aria-label={label}>
        <Icon name="plus" />
      </Button>
      <Popover className="menu" placement="bottom start">
        <Menu aria-label={label} onAction={(type) => add(type as DraftStep['type'])}>
          {types.map((type) => (
            <MenuItem key={type} id={type}>
              <span style={{ color: `var(--k-${type})` }}>
                <Icon name={type} />
              </span>
              {canvas.kinds[type]}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
