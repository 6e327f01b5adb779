// Loaded when there is a configuration file to read or to write.
export { default as Conf } from "conf";
