import { useEffect, useRef } from 'react'
import { familyOf } from '../parts/type-icon.tsx'

export interface Brush {
  context: CanvasRenderingContext2D
  width: number
  height: number
  /** The colour of a custom property in the current theme. */
  colour(property: string): string
  colourOfType(type: string): string
}

/** A canvas that is drawn again when its size, the theme or what it shows changes. */
export function useDrawing(draw: (brush: Brush) => void) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const latest = useRef(draw)
  useEffect(() => {
    latest.current = draw
    paint(canvas.current, draw)
  })
  useEffect(() => {
    const again = (): void => paint(canvas.current, latest.current)
    const size = new ResizeObserver(again)
    if (canvas.current) size.observe(canvas.current)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', again)
    const theme = new MutationObserver(again)
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      size.disconnect()
      theme.disconnect()
      dark.removeEventListener('change', again)
    }
  }, [])
  return canvas
}

function paint(canvas: HTMLCanvasElement | null, draw: (brush: Brush) => void): void {
  const context = canvas?.getContext('2d')
  if (!canvas || !context) return
  const { clientWidth: width, clientHeight: height } = canvas
  const scale = devicePixelRatio
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  context.setTransform(scale, 0, 0, scale, 0, 0)
  const colours = new Map<string, string>()
  const colour = (property: string): string => {
    const known = colours.get(property)
    if (known !== undefined) return known
    // A custom property has no computed colour of its own; a colour that refers to it has.
    canvas.style.color = `var(${property})`
    const computed = getComputedStyle(canvas).color
    colours.set(property, computed)
    return computed
  }
  draw({ context, width, height, colour, colourOfType: type => colour(`--type-${familyOf(type)}`) })
}
