#include "number_slots.h"

#include "guard.h"
#include "operator.h"
#include "tensor.h"
#include "value.h"

namespace tenon_python {
namespace {

// One operator of the registry behind a slot, looked up at first use.
struct SlotOperator {
  const char* name;
  PyObject* object = nullptr;

  PyObject* get() {
    if (object == nullptr) object = make_operator(name, false);
    return object;
  }
};

SlotOperator add{"add"};
SlotOperator add_{"add_"};
SlotOperator sub{"sub"};
SlotOperator sub_{"sub_"};
SlotOperator mul{"mul"};
SlotOperator mul_{"mul_"};
SlotOperator div{"div"};
SlotOperator div_{"div_"};
SlotOperator floor_divide{"floor_divide"};
SlotOperator floor_divide_{"floor_divide_"};
SlotOperator remainder{"remainder"};
SlotOperator remainder_{"remainder_"};
SlotOperator pow{"pow"};
SlotOperator pow_{"pow_"};
SlotOperator matmul{"matmul"};
SlotOperator bitwise_and{"bitwise_and"};
SlotOperator bitwise_and_{"bitwise_and_"};
SlotOperator bitwise_or{"bitwise_or"};
SlotOperator bitwise_or_{"bitwise_or_"};
SlotOperator bitwise_xor{"bitwise_xor"};
SlotOperator bitwise_xor_{"bitwise_xor_"};
SlotOperator left_shift{"bitwise_left_shift"};
SlotOperator left_shift_{"bitwise_left_shift_"};
SlotOperator right_shift{"bitwise_right_shift"};
SlotOperator right_shift_{"bitwise_right_shift_"};
SlotOperator neg{"neg"};
SlotOperator positive{"positive"};
SlotOperator abs{"abs"};
SlotOperator bitwise_not{"bitwise_not"};
// In the order of Py_LT, Py_LE, Py_EQ, Py_NE, Py_GT, Py_GE.
SlotOperator comparisons[] = {{"lt"}, {"le"}, {"eq"}, {"ne"}, {"gt"}, {"ge"}};

PyObject* call(SlotOperator& op, PyObject* const* args, std::size_t nargs) {
  PyObject* object = op.get();
  return object != nullptr ? call_operator(object, args, nargs) : nullptr;
}

// Other types may know what to do with a tensor, so they get their turn.
bool is_operand(PyObject* object) {
  return is_tensor(object) || is_number(object);
}

PyObject* apply(SlotOperator& op, PyObject* left, PyObject* right) {
  if (!is_operand(left) || !is_operand(right)) Py_RETURN_NOTIMPLEMENTED;
  PyObject* const args[2] = {left, right};
  return call(op, args, 2);
}

template <SlotOperator& op>
PyObject* binary(PyObject* left, PyObject* right) {
  return apply(op, left, right);
}

template <SlotOperator& op>
PyObject* power(PyObject* left, PyObject* right, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return apply(op, left, right);
}

template <SlotOperator& op>
PyObject* unary(PyObject* self) {
  return call(op, &self, 1);
}

PyObject* compare(PyObject* left, PyObject* right, int operation) {
  return apply(comparisons[operation], left, right);
}

// Comparison makes tensors, so two tensors are the same key only when they are the same object.
Py_hash_t hash(PyObject* self) {
  return _Py_HashPointer(self);
}

template <SlotOperator& op>
void* binary_slot() {
  return reinterpret_cast<void*>(static_cast<binaryfunc>(guarded<binary<op>>));
}
template <SlotOperator& op>
void* power_slot() {
  return reinterpret_cast<void*>(static_cast<ternaryfunc>(guarded<power<op>>));
}
template <SlotOperator& op>
void* unary_slot() {
  return reinterpret_cast<void*>(static_cast<unaryfunc>(guarded<unary<op>>));
}

}  // namespace

const PyType_Slot number_slots[] = {
    {Py_nb_add, binary_slot<add>()},
    {Py_nb_inplace_add, binary_slot<add_>()},
    {Py_nb_subtract, binary_slot<sub>()},
    {Py_nb_inplace_subtract, binary_slot<sub_>()},
    {Py_nb_multiply, binary_slot<mul>()},
    {Py_nb_inplace_multiply, binary_slot<mul_>()},
    {Py_nb_true_divide, binary_slot<div>()},
    {Py_nb_inplace_true_divide, binary_slot<div_>()},
    {Py_nb_floor_divide, binary_slot<floor_divide>()},
    {Py_nb_inplace_floor_divide, binary_slot<floor_divide_>()},
    {Py_nb_remainder, binary_slot<remainder>()},
    {Py_nb_inplace_remainder, binary_slot<remainder_>()},
    {Py_nb_power, power_slot<pow>()},
    {Py_nb_inplace_power, power_slot<pow_>()},
    {Py_nb_matrix_multiply, binary_slot<matmul>()},
    {Py_nb_and, binary_slot<bitwise_and>()},
    {Py_nb_inplace_and, binary_slot<bitwise_and_>()},
    {Py_nb_or, binary_slot<bitwise_or>()},
    {Py_nb_inplace_or, binary_slot<bitwise_or_>()},
    {Py_nb_xor, binary_slot<bitwise_xor>()},
    {Py_nb_inplace_xor, binary_slot<bitwise_xor_>()},
    {Py_nb_lshift, binary_slot<left_shift>()},
    {Py_nb_inplace_lshift, binary_slot<left_shift_>()},
    {Py_nb_rshift, binary_slot<right_shift>()},
    {Py_nb_inplace_rshift, binary_slot<right_shift_>()},
    {Py_nb_negative, unary_slot<neg>()},
    {Py_nb_positive, unary_slot<positive>()},
    {Py_nb_absolute, unary_slot<abs>()},
    {Py_nb_invert, unary_slot<bitwise_not>()},
    {Py_tp_richcompare, reinterpret_cast<void*>(guarded<compare>)},
    {Py_tp_hash, reinterpret_cast<void*>(hash)},
    {0, nullptr},
};

}  // namespace tenon_python
