// Configuration, plugins, memory: what people and tests look at.
#include <algorithm>
#include <string_view>

#include "device.h"
#include "errors.h"
#include "guard.h"
#include "runtime.h"
#include "value.h"

namespace tenon_python {
namespace {

PyObject* config_set(PyObject*, PyObject* args) {
  const char* key = nullptr;
  const char* value = nullptr;
  if (!PyArg_ParseTuple(args, "ss:config_set", &key, &value)) return nullptr;
  if (failed(tn_config_set(key, value))) return nullptr;
  Py_RETURN_NONE;
}

PyObject* config_get(PyObject*, PyObject* args) {
  const char* key = nullptr;
  const char* value = nullptr;
  const char* origin = nullptr;
  if (!PyArg_ParseTuple(args, "s:config_get", &key)) return nullptr;
  if (failed(tn_config_get(key, &value, &origin))) return nullptr;
  return Py_BuildValue("ss", value, origin);
}

PyObject* config_items(PyObject*, PyObject*) {
  Ref list(PyList_New(0));
  const std::size_t count = tn_config_count();
  for (std::size_t i = 0; list && i < count; ++i) {
    const char* key = nullptr;
    const char* value = nullptr;
    const char* origin = nullptr;
    if (failed(tn_config_at(i, &key, &value, &origin))) return nullptr;
    Ref row(Py_BuildValue("sss", key, value, origin));
    if (!row || PyList_Append(list.get(), row.get()) < 0) return nullptr;
  }
  return list.release();
}

// The core gives lists as one text, separated by ", ".
PyObject* list_from(std::string_view text) {
  Ref list(PyList_New(0));
  while (list && !text.empty()) {
    const std::size_t end = std::min(text.find(", "), text.size());
    Ref item(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(end)));
    if (!item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return list.release();
}

PyObject* config_keys(PyObject*, PyObject*) {
  Ref list(PyList_New(0));
  const std::size_t count = tn_config_key_count();
  for (std::size_t i = 0; list && i < count; ++i) {
    tn_config_key key = TN_INIT(tn_config_key);
    if (failed(tn_config_key_at(i, &key))) return nullptr;
    Ref row(Py_BuildValue("(sssNsOs)", key.name, key.type, key.default_value,
                          list_from(key.choices), key.variable,
                          key.flags & TN_CONFIG_FIXED_AT_INIT ? Py_True : Py_False, key.help));
    if (!row || PyList_Append(list.get(), row.get()) < 0) return nullptr;
  }
  return list.release();
}

PyObject* plugins(PyObject*, PyObject*) {
  Ref list(PyList_New(0));
  const std::size_t count = tn_plugin_count();
  for (std::size_t i = 0; list && i < count; ++i) {
    tn_plugin_info info = TN_INIT(tn_plugin_info);
    if (failed(tn_plugin_get_info(i, &info))) return nullptr;
    const char* state = tn_plugin_state_name(static_cast<tn_plugin_state>(info.state));
    Ref row(Py_BuildValue(
        "{sssssssssssisNsNsNsNsNssss}", "name", info.name, "version", info.version, "vendor",
        info.vendor, "state", state, "reason", info.reason, "priority", info.priority, "declares",
        list_from(info.declares), "provides", list_from(info.provides), "devices",
        list_from(info.devices), "layers", list_from(info.layers), "interfaces",
        list_from(info.interfaces), "manifest", info.manifest, "library", info.library));
    if (!row || PyList_Append(list.get(), row.get()) < 0) return nullptr;
  }
  return list.release();
}

// Who has kernels for each operator on a device; on none, nobody is asked.
PyObject* operators(PyObject*, PyObject* args) {
  PyObject* argument = Py_None;
  if (!PyArg_ParseTuple(args, "|O:operators", &argument)) return nullptr;
  tn_device device{};
  const bool on_device = argument != Py_None;
  if (on_device && !parse_device(argument, &device)) return nullptr;
  std::int32_t units = 0;  // asking for them loads the device's plugin, and so its flags
  if (on_device && failed(tn_device_count(device.type, &units))) return nullptr;
  const bool no_data = on_device && tn_device_flags(device.type) & TN_DEVICE_NO_DATA;
  Ref list(PyList_New(0));
  const std::size_t count = tn_op_count();
  for (std::size_t i = 0; list && i < count; ++i) {
    const tn_op* op = tn_op_at(i);
    const tn_op_desc* facts = tn_op_facts(op);
    OwnedValue providers;
    if (on_device && failed(tn_op_providers(op, device.type, &providers))) return nullptr;
    const bool infers =
        no_data && facts->kind != TN_KIND_DIRECT && facts->kind != TN_KIND_COMPOSITE;
    const bool asked = providers.tag == TN_TAG_STRING;
    const std::string_view names = asked ? std::string_view(providers.u.str, providers.len) : "";
    Ref row(Py_BuildValue("(sssNOO)", tn_op_schema(op)->full_name, tn_op_schema(op)->text,
                          facts->doc != nullptr ? facts->doc : "", list_from(names),
                          facts->decomposition != nullptr ? Py_True : Py_False,
                          infers ? Py_True : Py_False));
    if (!row || PyList_Append(list.get(), row.get()) < 0) return nullptr;
  }
  return list.release();
}

PyObject* plugin_load(PyObject*, PyObject* args) {
  const char* name = nullptr;
  if (!PyArg_ParseTuple(args, "s:plugin_load", &name)) return nullptr;
  if (failed(tn_plugin_load(name))) return nullptr;
  Py_RETURN_NONE;
}

PyObject* doctor(PyObject*, PyObject* args) {
  int json = 0;
  if (!PyArg_ParseTuple(args, "|p:doctor", &json)) return nullptr;
  OwnedValue text;
  if (failed(tn_doctor(json, &text))) return nullptr;
  return text_from(text);
}

PyObject* version(PyObject*, PyObject*) {
  return PyUnicode_FromString(tn_version());
}

PyObject* live_tensors(PyObject*, PyObject*) {
  return PyLong_FromUnsignedLongLong(tn_tensor_live_count());
}

PyObject* memory_stats(PyObject*, PyObject* args) {
  PyObject* argument = Py_None;
  tn_device device{};
  if (!PyArg_ParseTuple(args, "|O:memory_stats", &argument)) return nullptr;
  if (!host_device(&device) || !parse_device(argument, &device)) return nullptr;
  tn_memory_stats stats = TN_INIT(tn_memory_stats);
  if (failed(tn_memory_get_stats(device.type, &stats))) return nullptr;
  using U64 = unsigned long long;
  return Py_BuildValue("{sKsKsKsKsK}", "live_bytes", static_cast<U64>(stats.live_bytes),
                       "live_blocks", static_cast<U64>(stats.live_blocks), "peak_bytes",
                       static_cast<U64>(stats.peak_bytes), "reserved_bytes",
                       static_cast<U64>(stats.reserved_bytes), "allocations",
                       static_cast<U64>(stats.allocations));
}

}  // namespace

const PyMethodDef inspect_functions[] = {
    {"config_set", guarded<config_set>, METH_VARARGS,
     "config_set(key, value): value is TOML text."},
    {"config_get", guarded<config_get>, METH_VARARGS, "config_get(key): (TOML text, origin)."},
    {"config_items", guarded<config_items>, METH_NOARGS, "Rows (key, TOML text, origin)."},
    {"config_keys", guarded<config_keys>, METH_NOARGS,
     "Rows (key, type, default as TOML, choices, variable, fixed at start, help)."},
    {"operators", guarded<operators>, METH_VARARGS,
     "operators(device=None): rows (name, schema, doc, providers, decomposes, infers)."},
    {"plugins", guarded<plugins>, METH_NOARGS, "A dict for each plugin found."},
    {"plugin_load", guarded<plugin_load>, METH_VARARGS, "plugin_load(name): loads a plugin now."},
    {"doctor", guarded<doctor>, METH_VARARGS, "doctor(json=False): the report as text."},
    {"version", guarded<version>, METH_NOARGS, "The release of libtenon."},
    {"live_tensors", guarded<live_tensors>, METH_NOARGS,
     "The number of tensors alive in the process."},
    {"memory_stats", guarded<memory_stats>, METH_VARARGS,
     "memory_stats(device=None): a dict of the allocator's counters."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace tenon_python
