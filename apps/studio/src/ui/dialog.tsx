import type { ReactNode } from 'react'
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components'

/** A dialog over the page; Escape closes it, and focus returns. */
export function Box({
  title,
  isWide,
  close,
  children,
}: {
  readonly title: string
  readonly isWide?: boolean
  readonly close: () => void
  readonly children: ReactNode
}) {
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
