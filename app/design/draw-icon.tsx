// Draws an icon of Tabler Icons 3.51.0 (https://tabler.io/icons) from its SVG path.
import type { ReactNode, SVGProps } from "react";

/*
 * MIT License
 *
 * Copyright (c) 2020-2026 Paweł Kuna
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy
 * of this software and associated documentation files (the "Software"), to deal
 * in the Software without restriction, including without limitation the rights
 * to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 * copies of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all
 * copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 * SOFTWARE.
 */

type Props = Omit<SVGProps<SVGSVGElement>, "stroke"> & {
  /** Width and height in pixels. */
  size?: number;
  /** Width of the lines, in units of the 24 by 24 grid. */
  stroke?: number;
};

export type Icon = (props: Props) => ReactNode;

export function draw(path: string): Icon {
  return function Drawn({ size = 24, stroke = 2, ...rest }) {
    return (
      // biome-ignore lint/a11y/noSvgWithoutTitle: hidden from screen readers unless it has a label
      <svg
        aria-hidden={rest["aria-label"] === undefined}
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={stroke}
        strokeLinecap="round"
        strokeLinejoin="round"
        {...rest}
      >
        <path d={path} />
      </svg>
    );
  };
}
