import type { ComponentProps } from "react";
import { Link, useSearchParams } from "react-router";
import { type Place, useSource, withPlace } from "../source/place";

/** A link that opens the source panel at a place; Back closes it again. */
export function SourceLink({
  place,
  ...rest
}: Omit<ComponentProps<typeof Link>, "to"> & { place: Place }) {
  const [search] = useSearchParams();
  const open = useSource().place !== null;
  return <Link {...rest} to={{ search: withPlace(search, place).toString() }} replace={open} />;
}
