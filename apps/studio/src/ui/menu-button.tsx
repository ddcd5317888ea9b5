import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { lazyPart } from './lazy-module.ts'
import { loadOverlays, overlays } from './lazy-overlays.ts'
import type { MenuGroup } from './menu-group.ts'
import type { OverlayProps } from './overlays.tsx'

const MenuOverlay = lazyPart(overlays, (module) => module.MenuOverlay)
const PopoverOverlay = lazyPart(overlays, (module) => module.PopoverOverlay)

interface OverlayButtonProps {
  readonly className: string
  readonly kind?: string
  /** Accessible name of the menu, and of the button unless its content names it. */
  readonly label: string
  readonly isNamedByContent?: boolean
  readonly placement?: OverlayProps['placement']
  readonly onOpenChange?: (isOpen: boolean) => void
  readonly button: ReactNode
}

/** A button with a menu. */
export function MenuButton({
  groups,
  header,
  ...props
}: OverlayButtonProps & { readonly groups: readonly MenuGroup[]; readonly header?: ReactNode }) {
  return (
    <OverlayButton {...props} popup="menu">
      {(overlay) => <MenuOverlay {...overlay} groups={groups} header={header} />}
    </OverlayButton>
  )
}

/** A button with a small dialog next to it. */
export function PopoverButton({
  title,
  content,
  popoverClass,
  ...props
}: OverlayButtonProps & {
  /** The name of the dialog. */
  readonly title: string
  readonly popoverClass: string
  readonly content: (close: () => void) => ReactNode
}) {
  return (
    <OverlayButton {...props} popup="dialog">
      {(overlay) => (
        <PopoverOverlay {...overlay} label={title} className={popoverClass}>
          {content(overlay.close)}
        </PopoverOverlay>
      )}
    </OverlayButton>
  )
}

/**
 * The overlay script is loaded before this button is shown, so that opening never replaces the page with a placeholder.
 */
function OverlayButton({
  className,
  kind,
  label,
  isNamedByContent = false,
  placement = 'bottom start',
  onOpenChange,
  button,
  popup,
  children,
}: OverlayButtonProps & {
  readonly popup: 'menu' | 'dialog'
  readonly children: (overlay: OverlayProps) => ReactNode
}) {
  const trigger = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const change = (next: boolean) => {
    setOpen(next)
    onOpenChange?.(next)
  }
  const open = () =>
    void overlays.load().then(
      () => {
        // Safari does not focus a clicked button, and the focus would return to the previously focused element.
        trigger.current?.focus()
        change(true)
      },
      // The bar above the page already reports the lost connection.
      () => undefined,
    )
  const onKey = (event: KeyboardEvent) => {
    if (popup !== 'menu' || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
    event.preventDefault()
    event.stopPropagation()
    open()
  }
  return (
    <>
      <button
        ref={trigger}
        type="button"
        className={className}
        data-kind={kind}
        aria-label={isNamedByContent ? undefined : label}
        aria-haspopup={popup}
        aria-expanded={isOpen}
        onPointerEnter={loadOverlays}
        onFocus={loadOverlays}
        onKeyDown={onKey}
        onClick={open}
      >
        {button}
      </button>
      {isOpen && children({ trigger, label, placement, close: () => change(false) })}
    </>
  )
}
