import type { ReactNode, RefObject } from 'react'
import {
  Dialog,
  Header,
  Heading,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  Popover,
  type PopoverProps,
} from 'react-aria-components'
import type { MenuGroup } from './menu-group.ts'

/** The trigger, position and close handler of an overlay. */
export interface OverlayProps {
  /** The element that opens the overlay, and gets the focus back when it closes. */
  readonly trigger: RefObject<HTMLElement | null>
  readonly label: string
  readonly placement: NonNullable<PopoverProps['placement']>
  readonly close: () => void
}

const popover = ({ trigger, placement, close }: OverlayProps): PopoverProps => ({
  triggerRef: trigger,
  placement,
  isOpen: true,
  onOpenChange: (isOpen) => isOpen || close(),
})

/** A menu next to its button. */
export function MenuOverlay(
  props: OverlayProps & { readonly groups: readonly MenuGroup[]; readonly header?: ReactNode },
) {
  const { label, close, groups, header } = props
  return (
    <Popover {...popover(props)} className="menu" trigger="MenuTrigger" aria-label={label}>
      {header}
      <Menu aria-label={label} autoFocus="first" onClose={close}>
        {groups.map(({ title, hasHiddenTitle, selected, items }) => (
          <MenuSection
            key={title}
            {...((hasHiddenTitle === true || title === '') && { 'aria-label': title === '' ? label : title })}
            {...(selected !== undefined && { selectionMode: 'single', selectedKeys: [selected] })}
          >
            {hasHiddenTitle !== true && title !== '' && <Header>{title}</Header>}
            {items.map(({ id, label: text, icon, note, href, run }) => (
              <MenuItem
                key={id}
                id={id}
                textValue={text}
                {...(run !== undefined && { onAction: run })}
                {...(href !== undefined && { href, target: '_blank' })}
              >
                {icon}
                {text}
                {note}
              </MenuItem>
            ))}
          </MenuSection>
        ))}
      </Menu>
    </Popover>
  )
}

/** A small dialog next to its button. */
export function PopoverOverlay(props: OverlayProps & { readonly className: string; readonly children: ReactNode }) {
  return (
    <Popover {...popover(props)} className={props.className}>
      <Dialog aria-label={props.label}>{props.children}</Dialog>
    </Popover>
  )
}

export interface BoxProps {
  readonly title: string
  readonly isWide?: boolean
  readonly close: () => void
  readonly children: ReactNode
}

/** A dialog over the page; Escape closes it, and focus returns. */
export function BoxOverlay({ title, isWide, close, children }: BoxProps) {
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={(isOpen) => isOpen || close()}>
      <Modal className="dialog" data-wide={isWide === true ? '' : undefined}>
        <Dialog>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
