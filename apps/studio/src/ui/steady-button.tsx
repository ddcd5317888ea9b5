import type { ComponentProps } from 'react'

/** A button that keeps the focus while it is unusable: a disabled button would lose it. */
export function SteadyButton({
  isOff,
  onClick,
  ...rest
}: Omit<ComponentProps<'button'>, 'disabled'> & { readonly isOff: boolean }) {
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={isOff || undefined}
      onClick={(event) => {
        if (isOff) event.preventDefault()
        else onClick?.(event)
      }}
    />
  )
}
