import type { ComponentProps } from 'react'

/** A button that keeps the focus while it is unusable: a disabled one would lose it to the page. */
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
